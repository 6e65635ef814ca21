"""Writes data sets of every layout and type with h5py, and checks that dump_rows reads the same values as h5py.

SPDX-License-Identifier: MIT
"""
import os
import subprocess
import sys

try:
    import h5py
    import numpy
except ImportError as error:
    print(error)
    sys.exit(77)

TYPES = ["<i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "<u1", "<u2", ">u2", "<u4", ">u4", "<u8", ">u8",
         "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "bool"]
SHAPES = [(37,), (37, 5), (11, 3, 6, 4)]
LAYOUTS = {
    "contiguous": {},
    "chunks": {"chunks": "rows"},
    "automatic chunks": {"chunks": True},
    "ragged chunks": {"chunks": "ragged"},
    "gzip": {"chunks": "rows", "compression": "gzip"},
    "shuffle": {"chunks": "ragged", "compression": "gzip", "compression_opts": 9, "shuffle": True},
    "shuffle alone": {"chunks": "rows", "shuffle": True},
    "fletcher32": {"chunks": "rows", "fletcher32": True},
    "all filters": {"chunks": "ragged", "compression": "gzip", "shuffle": True, "fletcher32": True},
    "read by the library": {"chunks": "rows", "scaleoffset": 0},  # only for short integers
    "growing": {"chunks": "rows", "maxshape": "growing", "compression": "gzip"},
}


def numbers(shape, kind, random):
    dtype = numpy.dtype(kind)
    count = int(numpy.prod(shape))
    if dtype.kind == "b":
        return random.integers(0, 2, count).astype(bool).reshape(shape)
    if dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        values = random.integers(limits.min, limits.max, count, dtype=dtype.newbyteorder("="), endpoint=True)
        values[:2] = limits.min, limits.max
        return values.astype(dtype).reshape(shape)
    with numpy.errstate(over="ignore"):
        values = (random.standard_normal(count) * 10.0 ** random.integers(-9, 9, count)).astype(dtype)
    values[:6] = numpy.inf, -numpy.inf, numpy.nan, 0.0, numpy.finfo(dtype).max, numpy.finfo(dtype).tiny / 4
    return values.reshape(shape)


def options(layout, shape):
    result = dict(layout)
    if result.get("chunks") == "rows":
        result["chunks"] = (4,) + shape[1:]
    elif result.get("chunks") == "ragged":  # chunk sides that do not divide the data set's sides
        result["chunks"] = tuple(max(1, side - 2) // 2 + 1 for side in shape)
    if result.get("maxshape") == "growing":
        result["maxshape"] = (None,) + shape[1:]
    return result


def layouts_of(kind):
    whole = numpy.dtype(kind).kind in "iu" and numpy.dtype(kind).itemsize < 8
    return [name for name, layout in LAYOUTS.items() if whole or "scaleoffset" not in layout]


def write(path):
    random = numpy.random.default_rng(1)
    with h5py.File(path, "w", userblock_size=512) as file:
        for kind in TYPES:
            for shape in SHAPES:
                for name in layouts_of(kind):
                    data = numbers(shape, kind, random)
                    if "scaleoffset" in LAYOUTS[name]:
                        data //= 4  # HDF5 1.14.5 cannot read back values that need all bits of their type
                    file.create_dataset(f"{kind}/{len(shape)}/{name}", data=data, **options(LAYOUTS[name], shape))
        large = random.standard_normal((3000, 200)).astype("f4")
        file.create_dataset("large/contiguous", data=large)
        file.create_dataset("large/gzip", data=large, chunks=(100, 200), compression="gzip", shuffle=True)
        file.create_dataset("large/halves", data=large.astype("f2"))
        apart = file.create_dataset("large/chunks in any order", (3000, 200), "f4", chunks=(20, 200), fillvalue=1.5)
        for first in 20 * random.permutation(150)[:147]:  # three chunks are never written
            apart[first:first + 20] = large[first:first + 20]
        sparse = file.create_dataset("sparse", (100, 3), "<i4", chunks=(10, 3), fillvalue=-7, compression="gzip")
        sparse[25:40] = 5
        file.create_dataset("never written", (10, 3), "f4", fillvalue=2.5)
        compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        compact.set_layout(h5py.h5d.COMPACT)
        small = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((4, 2)), compact)
        small.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.arange(8, dtype="f4").reshape(4, 2))
        layout = h5py.VirtualLayout(shape=(3000, 200), dtype="f4")
        layout[:] = h5py.VirtualSource(path, "large/gzip", shape=(3000, 200))
        file.create_virtual_dataset("virtual", layout)


def check(folder, number, name, expected):
    for suffix, dtype in (("f32", "f4"), ("f64", "f8"), ("i64", "i8"), ("u8", "u1")):
        path = f"{folder}/{number}.{suffix}"
        if not os.path.exists(path):
            continue
        read = numpy.fromfile(path, dtype).reshape(expected.shape)
        with numpy.errstate(over="ignore"):
            if suffix == "i64" and expected.dtype.kind == "u":
                wanted = numpy.minimum(expected, numpy.uint64(2**63 - 1)).astype(dtype)
            else:
                wanted = expected.astype(dtype)
        if not numpy.array_equal(read, wanted, equal_nan=suffix[0] == "f"):
            sys.exit(f"wrong: {name} as {suffix}: {read.ravel()[:8]}, not {wanted.ravel()[:8]}")
    return os.path.exists(f"{folder}/{number}.f32")


def main():
    os.makedirs("layouts", exist_ok=True)
    for old in os.listdir("layouts"):
        os.remove(f"layouts/{old}")
    write("layouts.h5")
    names = subprocess.run([sys.argv[1], "layouts.h5", "layouts"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.split("\n")[:-1]
    with h5py.File("layouts.h5", "r") as file:
        expected = len(SHAPES) * sum(len(layouts_of(kind)) for kind in TYPES) + 8
        if len(names) != expected:
            sys.exit(f"wrong: {len(names)} data sets, not {expected}")
        for number, name in enumerate(names):
            if not check("layouts", number, name, file[name][:]):
                sys.exit(f"wrong: {name} was not read")
    print(f"{len(names)} data sets were read correctly")


main()
