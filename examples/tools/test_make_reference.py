import json

from examples.tools import make_reference


def cleared(thing):
    for name in ["stages", "causal_attention_weights", "context_vectors"]:
        if name in thing:
            thing[name] = None
    return thing


def test_digit_for_digit(tmp_path, monkeypatch, capsys):
    with open(make_reference.REFERENCE) as file:
        text = file.read()
    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps(json.loads(text, object_hook=cleared)))
    monkeypatch.setattr(make_reference, "REFERENCE", str(empty))
    make_reference.main()
    assert capsys.readouterr().out == text
