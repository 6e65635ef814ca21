"""Writes seeds of the fuzz targets to FOLDER/<target>/<name>, and a dictionary for all targets to FOLDER/dictionary.

Usage: seeds.py FOLDER. An input is one byte of options, then parts separated by "<cut>" (fuzzing.hpp)."""

import glob
import gzip
import io
import json
import os
import re
import struct
import sys
import zipfile
import zlib

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def seed(target, name, options, *parts):
    path = os.path.join(sys.argv[1], target)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), "wb") as file:
        file.write(bytes([options]) + b"<cut>".join(p if isinstance(p, bytes) else p.encode() for p in parts))


def dictionary():
    """Writes keys and values of studies, and signatures and frequent parts of the other formats."""
    found = {"<cut>", ",\"crc32\":\"00000000\"}", "\\x93NUMPY", "PK\\x03\\x04", "PK\\x01\\x02", "PK\\x05\\x06",
             "PK\\x06\\x06", "PK\\x06\\x07", "'descr':", "'shape':", "'fortran_order':", "'<f2'", "\\xef\\xbb\\xbf",
             "\\xff\\xff\\xff\\xff", "nan", "inf", "NA", "sep=;", "\"name\":", "\"categories\":[", "\"fill\":",
             "\"columns\":", "\"class_names\":[", "\"date\":{", "2024-05-31", "31/5/2024", "5/31/2024", "31.05.2024"}
    found = {word.replace('"', '\\"') for word in found}
    for path in glob.glob(os.path.join(SOURCE, "src/study/*.cpp")) + [
            os.path.join(SOURCE, "src/runs/journal/journal_line.cpp")]:
        with open(path) as file:
            found.update(re.findall(r'"([a-z0-9_.]+)\\?"', file.read()))
    with open(os.path.join(sys.argv[1], "dictionary"), "w") as file:
        file.writelines(f'"{word}"\n' for word in sorted(found))


def studies():
    for path in glob.glob(os.path.join(SOURCE, "jobs/studies/*")):
        with open(path) as file:
            seed("study", os.path.basename(path), 0, file.read(), "--train.epochs=5", "--search.model.hidden=16, 32")


def journals():
    def closed(text, seed_sum):
        return f'{text},"crc32":"{zlib.crc32(text.encode(), seed_sum):08x}"}}\n'

    study, data, predictions = "0123456789abcdef", "data", struct.pack("<3f", 1, 2, 3)
    with open(os.path.join(SOURCE, "src/runs/journal/journal_line.hpp")) as file:
        number = re.search(r"journal_format = (\d+);", file.read()).group(1)
    header = closed(f'{{"sheaf_journal":{number},"program":"0.1.0","study":"{study}","data":"{data}","files":"","models":{{}}', 0)
    of_study = zlib.crc32(f"{study}\n{data}".encode())
    lines = [header]
    for number, more in enumerate(['', ',"message":"it failed"', ',"curve":[[1,0.5,"nan",-0.0],[2,"inf",1e300,0]]',
                                   ',"metrics":[0.5],"curve":[[1,0.5,"nan",-0.0,1]]',
                                   f',"predictions":[0,{len(predictions)},{zlib.crc32(predictions)}]']):
        status = "failed" if "message" in more else "finished"
        lines.append(closed(f'{{"iteration":{number},"status":"{status}","rank":0,"lane":0,"gpu":-1,"engine":"torch",'
                            '"final_loss":0.25,"validation_loss":"nan","validation_score":1.5,"epochs":2,"steps":20,'
                            f'"seconds":0.5,"start_seconds":0.125,"wait_seconds":0{more}', of_study))
    lines.insert(1, closed('{"stage":0,"first_iteration":0,"repeats":1,"folds":2,"members":1,"epochs":3,'
                           '"trials":[[0,2],[3,4]]', of_study))
    for options in (0, 2):
        seed("journal", f"whole{options}", options, "".join(lines), predictions)
        for number, line in enumerate(lines[1:]):
            seed("journal", f"line{options}{number}", options, header + line, predictions)
    # Invalid positions of predictions: part of a value, behind the end, before the beginning, and too large a size.
    for number, (offset, size) in enumerate([(0, 3), (0, 7), (8, 8), (-4, 8), (0, 1 << 62), (1 << 62, 1 << 62)]):
        line = lines[-1].rsplit(',"predictions"', 1)[0] + f',"predictions":[{offset},{size},0]'
        seed("journal", f"position{number}", 2, header + closed(line, of_study), predictions)
    seed("journal", "torn", 0, "".join(lines)[:-30], b"")


def saved_models():
    def listed(count, values):
        return struct.pack("<q", count) + values

    text = "# sheaf 0.1.0\nfeatures = {}\noutputs = {}\nmodel.kind = {}\nmodel.hidden = {}\ntrain.loss = bce\n"
    for name, words, scaled, parameters in (("linear", (3, 2, "linear", "none"), 3, 8), ("mlp", (2, 1, "mlp", "2"), 0, 9),
                                            ("described", (2, 1, "mlp", '2\ndata = {"columns":[{"name":"a","fill":1},'
                                                           '{"name":"b"}],"target_names":["y"]}'), 0, 9),
                                            ("cnn", (48, 2, "cnn", "none\ndata.image = 3x4x4"), 48, 0)):
        described = text.format(*words).encode()
        scaling = listed(scaled, struct.pack(f"<{scaled}f", *range(scaled)))
        seed("saved_model_record", name, 0, listed(len(described), described) + 2 * scaling +
             listed(parameters, struct.pack(f"<{parameters}f", *range(parameters))))


def tables():
    def table(name, options, label, drop, *files, categorical="", more=0):
        seed("csv", name, options, label, drop, categorical, bytes([more]), *files)

    table("header", 0, "", "", "a,b,y\n1,2,0\n3.5,-4e2,1\n")
    table("quoted", 0, "y", "1", '"a","b ""c""",y\r\n1,"x\ny",cat\r\n2,"",dog\r\n')
    table("several", 0x14, "0,-1", "", "1;2;3\n4;5;6\n", "7;8;9\n")
    table("regression", 0x3c, "-1", "", "a\tb\n1\t0.5\n2\t1.5\n")
    table("mark", 0, "", "", b"\xef\xbb\xbf\n\n1,0\n2,1\n")
    texts = "age,city,y\n1,Oslo,no\n,Rome,yes\n4,,maybe\n"
    for kind in range(8):
        table(f"missing{kind}", 0, "", "", texts, more=kind)
    table("like", 0, "", "", texts, "y,city,age\nno,NA,3\n", "city,age\nRome,?\n", more=1)
    table("ignore", 0x40, "y", "", texts, "city,age,y\nBern,2,no\n", more=2)
    table("categorical", 0, "y", "", "a,b,y\n1,x,007\n2,y,7\n", "b,a,y\ny,1,7.0\n", categorical="a")
    table("comma", 0, "", "", "sep=;\na;b;y\n1,5;x;0,5\n2;\xe4;1,5\n", more=16)
    table("rows", 0, "", "", ",a,y\nr1,2,0\nr2,3,1\n", "2,1\n")
    table("same", 0, "", "", "a=b,a,y\n1,b,0\n2,c,1\n")
    table("dates", 0, "y", "", "a,when,y\n1,2024-05-31,0\n2,,1\n3,1969-12-31T23:59:59.5+02:00,0\n", "when,a,y\n31.05.2024,1,0\n")
    table("slashes", 0, "y", "", "when,then,y\n13/5/2024,5/13/2024 9:05,0\n1/5/2024,5/1/2024,1\n", "then,when,y\n1/2/2024,x,0\n")
    table("unnamed_dates", 0x04, "-1", "", "1.5,31.5.2024,2024/02/29,0\n2.5,1.6.2024,2024/03/01,1\n")
    table("identified", 0x80, "", "", "name,a,y\nx,1,0\ny,2,1\n")


def descriptions():
    columns = '[{"name":"age","fill":2.5},{"name":"city","categories":["","Oslo","R\\u00f6m"]},{"name":"size"}]'
    whole = '{"columns":%s,"class_names":["no","yes"],"target_names":["y"],"source":"a.csv","content_hash":"12ab"}'
    seed("description", "whole", 0, columns, whole % columns)
    dates = [{"name": f"d.{part}", "date": {"column": "d", "part": part, "format": "d/m/y"}} for part in ("year", "days")]
    described = json.dumps({"format": 2, "columns": dates})
    seed("description", "dates", 0, described, whole % described)
    seed("description", "zero", 0, '[{"name":"a\\u0000b"}]', '{"class_names":["\\u0000","?"]}')
    seed("description", "large", 0, '[{"name":"a","fill":1e300}]', '{"source":"","columns":[{"name":""}]}')
    seed("description", "deep", 0, "[" * 3000, "[" * 2000 + "]" * 2000)


def npy(dtype, shape, numbers, fortran=False, version=1):
    text = str({"descr": dtype, "fortran_order": fortran, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + numbers


def arrays():
    features = npy("<f4", (2, 3), struct.pack("<6f", *range(6)))
    labels = npy("<i8", (2,), struct.pack("<2q", 0, 1))
    seed("npy", "plain", 0, features, labels)
    seed("npy", "fortran", 0, npy(">f8", (2, 3), struct.pack(">6d", *range(6)), True, 2), labels)
    seed("npy", "half", 3, npy("<f2", (2, 1, 2), struct.pack("<4e", 1, 2, 3, 4)), npy("|b1", (2,), b"\0\1"))
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for large in (False, True):
            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w", method) as file:
                for name, array in (("X.npy", features), ("y.npy", labels)):
                    with file.open(name, "w", force_zip64=large) as member:
                        member.write(array)
            seed("npz", f"method{method}{large}", 0, archive.getvalue(), "", "")
    seed("npz", "named", 0, archive.getvalue(), "y", "X")


def images():
    pixels = b"\0\0\x08\x03" + struct.pack(">3I", 2, 2, 2) + bytes(range(8))
    labels = b"\0\0\x08\x01" + struct.pack(">I", 2) + b"\1\0"
    seed("images", "idx", 0, pixels, labels)
    seed("images", "two", 0, pixels, labels, pixels, labels)
    seed("images", "float", 0, b"\0\0\x0d\x01" + struct.pack(">If", 1, 1), b"\0\0\x0c\x01" + struct.pack(">2I", 1, 1))
    seed("images", "cifar", 1, bytes([3]) + bytes(3072))


def chunks():
    numbers = bytes(range(64))
    for name, kinds in (("shuffle", [9]), ("deflate", [1]), ("sum", [2]), ("all", [9, 1, 2]), ("sums", [2, 21, 1, 2])):
        seed("chunk_filters", "numbers_" + name, 1, bytes([64, 0, 0] + kinds), numbers)
    seed("chunk_filters", "stored", 0, bytes([64, 0, 0, 1]), zlib.compress(numbers))
    seed("chunk_filters", "skipped", 0, bytes([64, 0, 1, 1]), numbers)
    seed("chunk_filters", "gzip", 0, bytes([64, 0, 0, 1]), gzip.compress(numbers))
    for options in range(128):
        seed("elements", str(options), options, struct.pack("<4d", 1.5, -1e300, float("nan"), 2.0**63) + b"\x00\x7c\xff")


for write in (studies, journals, saved_models, tables, descriptions, arrays, images, chunks, dictionary):
    write()
