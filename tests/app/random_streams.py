"""The random numbers of src/core/random in NumPy, for tests that repeat what the program draws."""

import numpy

SAMPLED_ROWS, ENSEMBLE_ROWS, PERMUTED_FEATURES = 12, 19, 20  # random_purpose.hpp


def philox(seed, purpose, index, count):
    """The first `count` words of a stream (Salmon et al., SC11)."""
    blocks = numpy.arange(-(-count // 4), dtype=numpy.uint64)
    low = numpy.uint64(0xffffffff)
    half = numpy.uint64(32)
    words = [blocks, numpy.full_like(blocks, index & 0xffffffff), numpy.full_like(blocks, index >> 32),
             numpy.full_like(blocks, purpose)]
    keys = [numpy.uint64(seed & 0xffffffff), numpy.uint64(seed >> 32)]
    for _ in range(10):
        one, two = numpy.uint64(0xD2511F53) * words[0], numpy.uint64(0xCD9E8D57) * words[2]
        words = [(two >> half) ^ words[1] ^ keys[0], two & low, (one >> half) ^ words[3] ^ keys[1], one & low]
        keys = [(keys[0] + numpy.uint64(0x9E3779B9)) & low, (keys[1] + numpy.uint64(0xBB67AE85)) & low]
    return numpy.stack(words, axis=1).ravel()[:count]


def below(words, bound):
    """A number from 0 to bound - 1 from an iterator of words (Lemire, ACM TOMACS 29)."""
    product = next(words) * bound
    while (product & 0xffffffff) < 2**32 % bound:
        product = next(words) * bound
    return product >> 32


def permutation(rows, seed, feature, repeat):
    """The order of the rows for a repeat of a feature, a Fisher-Yates shuffle from the last row down."""
    words = iter(philox(seed, PERMUTED_FEATURES, feature << 32 | repeat, 2 * rows + 8).tolist())
    order = numpy.arange(rows)
    for last in range(rows, 1, -1):
        other = below(words, last)
        order[[last - 1, other]] = order[[other, last - 1]]
    return order


def drawn_rows(rows, count, seed):
    """`count` of `rows` rows in ascending order (Floyd's algorithm)."""
    words = iter(philox(seed, SAMPLED_ROWS, 0, 2 * count).tolist())
    drawn = set()
    for last in range(rows - count, rows):
        uniform = ((next(words) >> 5) * 2**26 + (next(words) >> 6)) / 2**53
        row = int(uniform * (last + 1))
        drawn.add(last if row in drawn else row)
    return numpy.array(sorted(drawn))
