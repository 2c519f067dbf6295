import random

import pytest

from examples.conftest import REFERENCE
from examples.tools.torch_random import linear, manual_seed, rand, three_linears

NAMES = "W_query", "W_key", "W_value"


@pytest.mark.parametrize("seed, first", [  # what torch 2.13.0 gave
    (-2 ** 63, 0.49625658988952637), (2 ** 32 + 42, 0.8822692632675171),
    (2 ** 64 - 1, 0.9937993884086609)])
def test_rand(seed, first):
    assert rand(manual_seed(seed), 2, 3)[0][0] == first


def test_what_torch_gave():
    generator = manual_seed(123)
    case = REFERENCE["running_example"]["trainable"]
    assert [rand(generator, 3, 2) for name in NAMES] == [case[name] for name in NAMES]
    case = REFERENCE["linear_seed_789"]
    assert three_linears(manual_seed(789), 3, 2, 2) == [case[name] for name in NAMES]
    assert linear(manual_seed(31), 1, 2) == (
        [[-0.5404412746429443], [-0.15630066394805908]],
        [-0.4499492645263672, 0.0345304012298584])
    generator = manual_seed(7)  # beyond its first 624 numbers
    assert [len(row) for row in rand(generator, 40, 30)] == [30] * 40
    assert rand(generator, 1, 2) == [[0.9238461852073669, 0.43750882148742676]]


@pytest.mark.parametrize("seed", [2 ** 64, -2 ** 63 - 1])
def test_bad_seeds(seed):
    with pytest.raises(ValueError):
        manual_seed(seed)


def test_against_torch():
    torch = pytest.importorskip("torch")
    if torch.backends.cpu.get_cpu_capability() == "DEFAULT":
        pytest.skip("this code of torch rounds products, too")
    choose = random.Random(1)
    for trial in range(50):
        seed, bias = choose.randrange(-2 ** 63, 2 ** 64), trial % 2 == 0
        d_in, d_out = choose.randrange(1, 70), choose.randrange(1, 70)
        torch.manual_seed(seed)
        generator = manual_seed(seed)
        assert torch.rand(d_in, d_out).tolist() == rand(generator, d_in, d_out)
        layer = torch.nn.Linear(d_in, d_out, bias=bias)
        weight, b = linear(generator, d_in, d_out, bias)
        assert layer.weight.tolist() == weight
        assert (layer.bias.tolist() if bias else None) == b
