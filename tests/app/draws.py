"""Random numbers of Sheaf, computed with NumPy: the streams of core/random."""

import numpy

SAMPLED_ROWS, PERMUTED_FEATURES = 12, 21  # Purpose in random_purpose.hpp


def words(seed, purpose, index, count):
    """The first `count` words of a stream (Philox4x32-10: Salmon et al., SC11)."""
    blocks = numpy.arange(-(-count // 4), dtype=numpy.uint64)
    low = numpy.uint64(0xffffffff)
    half = numpy.uint64(32)
    state = [blocks, numpy.full_like(blocks, index & 0xffffffff), numpy.full_like(blocks, index >> 32),
             numpy.full_like(blocks, purpose)]
    keys = [numpy.uint64(seed & 0xffffffff), numpy.uint64(seed >> 32)]
    for _ in range(10):
        one, two = numpy.uint64(0xD2511F53) * state[0], numpy.uint64(0xCD9E8D57) * state[2]
        state = [(two >> half) ^ state[1] ^ keys[0], two & low, (one >> half) ^ state[3] ^ keys[1], one & low]
        keys = [(keys[0] + numpy.uint64(0x9E3779B9)) & low, (keys[1] + numpy.uint64(0xBB67AE85)) & low]
    return numpy.stack(state, axis=1).ravel()[:count]


def below(stream, bound):
    """A number from 0 to bound - 1, from an iterator of words (Lemire, ACM TOMACS 29)."""
    product = next(stream) * bound
    while (product & 0xffffffff) < 2**32 % bound:
        product = next(stream) * bound
    return product >> 32


def draw_counts(seed, purpose, index, count):
    """How often each of 0..count-1 is drawn in `count` draws with replacement."""
    stream = iter(words(seed, purpose, index, 2 * count).tolist())
    return numpy.bincount([below(stream, count) for _ in range(count)], minlength=count).astype(float)


def permutation(rows, seed, feature, repeat):
    """The order of the rows for a repeat of a feature in `sheaf importance`, a Fisher-Yates shuffle from the last row."""
    stream = iter(words(seed, PERMUTED_FEATURES, feature << 32 | repeat, 2 * rows + 8).tolist())
    order = numpy.arange(rows)
    for last in range(rows, 1, -1):
        other = below(stream, last)
        order[[last - 1, other]] = order[[other, last - 1]]
    return order


def drawn_rows(rows, count, seed):
    """`count` of `rows` rows in ascending order, without repetition (Floyd's algorithm)."""
    stream = iter(words(seed, SAMPLED_ROWS, 0, 2 * count).tolist())
    drawn = set()
    for last in range(rows - count, rows):
        uniform = ((next(stream) >> 5) * 2**26 + (next(stream) >> 6)) / 2**53
        row = int(uniform * (last + 1))
        drawn.add(last if row in drawn else row)
    return numpy.array(sorted(drawn))
