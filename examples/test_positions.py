from examples.positions import NEW_SENTENCES, main


def test_only_with_positions_adjectives_find_their_nouns(printed):
    lines = printed(main)
    found = [[line[i + 1] for line in lines[start:start + 5]
              for i, word in enumerate(line) if word == "->"] for start in (0, 5, 10)]
    nearest = ["dogs", "cats", "dogs", "cats", "cats", "cats", "cats"]
    assert found[1] == nearest and found[0] != nearest and found[2] != nearest
    old, same = lines[1][5:9], lines[2][9:]  # without positions, the order is not seen
    assert old == same and old[0] == "old"
    assert lines[8] == (NEW_SENTENCES[1] + " young -> cats 0.96").split()
    losses = [float(lines[start][-1]) for start in (0, 5, 10)]
    assert losses[1] < 0.003 and losses[0] > 0.1 and losses[2] > 0.03
