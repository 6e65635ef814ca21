"""Random numbers of Sheaf, computed with NumPy: the streams of core/random."""

import numpy


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


def draw_counts(seed, purpose, index, count):
    """How often each of 0..count-1 is drawn in `count` draws with replacement (Lemire, ACM TOMACS 29)."""
    stream = iter(words(seed, purpose, index, 2 * count).tolist())
    counts = numpy.zeros(count)
    threshold = 2**32 % count
    for _ in range(count):
        product = next(stream) * count
        while (product & 0xffffffff) < threshold:
            product = next(stream) * count
        counts[product >> 32] += 1
    return counts
