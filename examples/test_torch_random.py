import doctest
import json
import os
import random

import pytest

import attention
from examples import torch_random
from examples.torch_random import linear, manual_seed, rand

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "reference.json"), encoding="utf-8") as file:
    REFERENCE = json.load(file)

# What torch 2.13.0 gave on a CPU with AVX2: float32 values, written as the same floats.
RAND = [
    (0, [[0.49625658988952637, 0.7682217955589294, 0.08847743272781372]]),
    (42, [[0.8822692632675171, 0.9150039553642273, 0.38286375999450684],
          [0.9593056440353394, 0.3904482126235962, 0.600895345211029]]),
    (2 ** 32 + 42, [[0.8822692632675171, 0.9150039553642273, 0.38286375999450684],
                    [0.9593056440353394, 0.3904482126235962, 0.600895345211029]]),
    (-1, [[0.9937993884086609, 0.5713063478469849]]),
    (2 ** 64 - 1, [[0.9937993884086609, 0.5713063478469849]]),
    (-2 ** 63, [[0.49625658988952637, 0.7682217955589294]]),
]
LINEAR_SEED_2024 = (
    [[0.028367536142468452, 0.29629504680633545, 0.4220247268676758,
      -0.3405076861381531, -0.2979317009449005],
     [-0.13464802503585815, -0.25491854548454285, 0.10744583606719971,
      -0.013550154864788055, 0.22290387749671936],
     [-0.3111749291419983, 0.05591854453086853, -0.2920524477958679,
      0.18299466371536255, 0.38150259852409363]],
    [-0.08399073034524918, -0.17486143112182617, 0.3643161654472351])
LINEAR_SEED_31 = (  # 20 numbers in a row: no other path from 16 on, as torch.randn has one
    [[-0.12084633857011795, -0.034949891269207, -0.10061171650886536, 0.007721232250332832,
      -0.1341150552034378, 0.012328056618571281, 0.062037963420152664, -0.006986965890973806,
      -0.09375418722629547, -0.08940134197473526, -0.2009042501449585, -0.04802442342042923,
      0.01954018697142601, -0.2118309736251831, 0.031957726925611496, 0.07205411791801453,
      -0.09607203304767609, -0.16108198463916779, -0.15881356596946716, 0.09668222069740295]],
    [0.17277061939239502])

def test_doctests():
    result = doctest.testmod(torch_random)
    assert result.attempted > 0 and result.failed == 0

@pytest.mark.parametrize("seed, expected", RAND)
def test_rand(seed, expected):
    assert rand(manual_seed(seed), len(expected), len(expected[0])) == expected

def test_rand_beyond_the_first_624_numbers():
    generator = manual_seed(7)
    rand(generator, 40, 30)
    assert rand(generator, 1, 2) == [[0.9238461852073669, 0.43750882148742676]]

def test_running_example():
    trainable = REFERENCE["running_example"]["trainable"]
    generator = manual_seed(123)
    for name in "W_query", "W_key", "W_value":
        matrix = rand(generator, 3, 2)
        assert matrix == trainable[name]
        assert [[round(x, 8) for x in row] for row in matrix] == getattr(attention, name.upper())

def test_linear():
    generator = manual_seed(2024)
    assert linear(generator, 5, 3) == LINEAR_SEED_2024
    assert rand(generator, 1, 1) == [[0.7637320160865784]]  # what comes next
    assert linear(manual_seed(31), 20, 1) == LINEAR_SEED_31
    assert linear(manual_seed(31), 1, 2) == (
        [[-0.5404412746429443], [-0.15630066394805908]],
        [-0.4499492645263672, 0.0345304012298584])

def test_linear_in_the_reference():
    generator = manual_seed(789)
    for name in "W_query", "W_key", "W_value":
        weight, bias = linear(generator, 3, 2, bias=False)
        assert attention.transpose(weight) == REFERENCE["linear_seed_789"][name]
        assert bias is None
    generator = manual_seed(123)
    for head in REFERENCE["causal_multi_head_seed_123"]["heads"]:
        for name in "W_query", "W_key", "W_value":
            assert attention.transpose(linear(generator, 3, 2, False)[0]) == head[name]

def test_the_last_digits_of_sqrt_do_not_matter():
    # attention.sqrt may differ from the true root in the last bit of a float; the nearest
    # float32 to 1 / root must not.
    for d_in in range(1, 4097):
        root = attention.sqrt(d_in)
        bounds = {torch_random.float32(1.0 / (root * factor))
                  for factor in (1.0 - 2.0 ** -51, 1.0, 1.0 + 2.0 ** -51)}
        assert len(bounds) == 1, d_in

@pytest.mark.parametrize("seed, error, message", [
    (1.0, TypeError, "seed is of type float, expected an int"),
    ("123", TypeError, "seed is of type str, expected an int"),
    (None, TypeError, "seed is of type NoneType, expected an int"),
    (2 ** 64, ValueError, "seed is 18446744073709551616, expected from -2**63 to 2**64 - 1"),
    (-2 ** 63 - 1, ValueError, "seed is -9223372036854775809, expected from -2**63 to 2**64 - 1"),
])
def test_bad_seeds(seed, error, message):
    with pytest.raises(error) as caught:
        manual_seed(seed)
    assert str(caught.value) == message

@pytest.mark.parametrize("call, error, message", [
    (lambda: rand(manual_seed(1), 0, 2), ValueError, "rows is 0, expected at least 1"),
    (lambda: rand(manual_seed(1), 2, -1), ValueError, "columns is -1, expected at least 1"),
    (lambda: rand(manual_seed(1), 2.0, 1), TypeError, "rows is of type float, expected an int"),
    (lambda: rand(123, 3, 2), TypeError,
     "generator is of type int, expected what manual_seed returns"),
    (lambda: linear(manual_seed(1), "3", 2), TypeError, "d_in is of type str, expected an int"),
    (lambda: linear(manual_seed(1), 3, 0), ValueError, "d_out is 0, expected at least 1"),
])
def test_bad_arguments(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message

def test_against_torch():
    torch = pytest.importorskip("torch")
    if torch.backends.cpu.get_cpu_capability() == "DEFAULT":
        pytest.skip("torch's code for older CPUs rounds nn.Linear's products, too")
    choose = random.Random(1)
    for trial in range(50):
        seed = choose.randrange(-2 ** 63, 2 ** 64)
        rows, columns = choose.randrange(1, 20), choose.randrange(1, 20)
        d_in, d_out, bias = choose.randrange(1, 70), choose.randrange(1, 20), trial % 2 == 0
        torch.manual_seed(seed)
        generator = manual_seed(seed)
        assert torch.rand(rows, columns).tolist() == rand(generator, rows, columns)
        layer = torch.nn.Linear(d_in, d_out, bias=bias)
        weight, b = linear(generator, d_in, d_out, bias)
        assert layer.weight.tolist() == weight
        assert (layer.bias.tolist() if bias else None) == b
