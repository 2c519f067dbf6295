from examples.torch_random import main


def test_what_it_prints(printed):
    lines = printed(main)
    assert lines[0][1:] == ["0.29611194", "0.51656228"] != lines[1][1:]
    assert lines[2][-1] == "True"
