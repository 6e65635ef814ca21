"""Runs the writer given, and checks by h5py what it wrote. SPDX-License-Identifier: MIT"""
import subprocess
import sys

try:
    import h5py
    import numpy
except ImportError as error:
    print(error)
    sys.exit(77)


def check(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


subprocess.run([sys.argv[1], "tables.h5"], check=True)
with h5py.File("tables.h5", "r") as file:
    attributes = dict(file.attrs)
    check(attributes["name"] == "größer", attributes)
    check(attributes["nothing"] == "", attributes)
    check(attributes["seed"] == 9007199254740993, attributes)
    check(attributes["seconds"] == 0.1, attributes)

    table = file["iterations"][:]
    check(table.dtype.names == ("iteration", "final_loss", "shuffled", "status", "empty"), table.dtype)
    check(table["iteration"].dtype == numpy.int64 and table["final_loss"].dtype == numpy.float64, table.dtype)
    check(table["iteration"].tolist() == [0, 1, -(2**62)], table)
    check(table["final_loss"][0] == 0.1 and numpy.isnan(table["final_loss"][1]), table)
    check(table["final_loss"][2] == -numpy.inf, table)
    check(table["shuffled"].dtype == bool and table["shuffled"].tolist() == [True, False, True], table)
    check([text.decode() for text in table["status"]] == ["finished", "", "é"], table)
    check(table["empty"].tolist() == [b"", b"", b""], table)
    check(file["iterations"].dtype["status"].metadata is None or
          h5py.check_string_dtype(file["iterations"].dtype["status"]).encoding == "utf-8", table.dtype)

    none = file["deep/er/none"][:]
    check(none.shape == (0,) and none.dtype.names == ("number", "value", "text"), none.dtype)

    arrays = file["arrays"][:]
    check(arrays["values"].dtype == numpy.float32 and arrays["values"].tolist() ==
          numpy.float32([[0.5, -1, 2], [3, 4, 0.1]]).tolist(), arrays)
    check(arrays["pairs"].dtype == numpy.float64 and arrays["pairs"].tolist() == [[0.1, 2], [3, 4]], arrays)
    check(arrays["value"].tolist() == numpy.float32([1.5, 0.1]).tolist() and arrays["number"].tolist() == [7, 8], arrays)

    many = file["many"][:]
    check(numpy.array_equal(many["number"], numpy.arange(100000) * 3), "many numbers")
    check(numpy.array_equal(many["text"].astype(int), numpy.arange(100000)), "many texts")
