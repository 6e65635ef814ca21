"""`sheaf predict`: unusual CSV files, row names, large files on several ranks, and outputs that cannot be written. No
input is ever replaced, and no partial file is left."""

import csv
import glob
import os
import shutil
import signal
import subprocess
import sys

import h5py
import numpy

from program import SHEAF, Checks, Started, sheaf

HEADER = ["x0", "x1", "x2", "label"]
ROWS = 100000

checks = Checks()
shutil.rmtree("predict", ignore_errors=True)
os.makedirs("predict")
os.chdir("predict")
random = numpy.random.default_rng(2)


def write(name, rows, header=HEADER, **options):
    with open(name, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, **options).writerows([header] + rows)


def read(name):
    with open(name, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def bytes_of(name):
    with open(name, "rb") as file:
        return file.read()


def predict(case, *args, ranks=None):
    result = sheaf("predict", "run", *args, "--overwrite=true", ranks=ranks)
    checks.check(result.code == 0, case, f"{args}\n{result.stderr}")


def refused(case, reason, *args, code=1, command="predict"):
    """Checks for one error line on one rank and on 3 ranks, and that all files stay as they were."""
    files = {name: bytes_of(name) for name in os.listdir(".") if os.path.isfile(name)}
    for ranks in (None, 3):
        result = sheaf(command, *args, ranks=ranks, timeout=60)
        lines = result.error_lines()
        checks.check(result.code == code and len(lines) == 1 and reason in lines[0],
                     f"{case}, {ranks} ranks: exit code {code} and one error", f"{result.code} {result.stderr}")
        now = {name: bytes_of(name) for name in os.listdir(".") if os.path.isfile(name)}
        checks.check(now == files, f"{case}, {ranks} ranks: files are unchanged",
                     [name for name in {**now, **files} if now.get(name) != files.get(name)])


rows = [[f"{value:.3f}" for value in values] + [random.choice(["no", 'say "yes", now'])]
        for values in random.normal(size=(90, 3))]
write("train.csv", rows)
with open("study.cfg", "w") as file:
    file.write("[data]\nfile = train.h5\ntask = classification\n[model]\nkind = mlp\nhidden = 5\n[train]\nepochs = 2\n"
               "loss = cross_entropy\n[run]\ndevice = cpu\nmodels = best\noutput = run\n")
for args in (["import", "train.csv", "train.h5"], ["run", "study.cfg"]):
    result = sheaf(*args)
    checks.check(result.code == 0, args, result.stderr)

# ---- Unusual files

predict("the training file", "train.csv", "expected.csv")
expected = read("expected.csv")
checks.check(expected[0] == ["prediction", "probability_no", 'probability_say "yes", now'] and len(expected) == 91,
             "names of classes with quotes and commas", expected[0])
text = bytes_of("train.csv").decode()
for name, content in (("mark.csv", "\ufeff" + text), ("unix.csv", text.replace("\r\n", "\n")),
                      ("unended.csv", text.rstrip("\r\n")), ("semicolons.csv", None), ("quoted.csv", None)):
    if name == "semicolons.csv":
        write(name, rows, delimiter=";")
    elif name == "quoted.csv":
        write(name, rows, quoting=csv.QUOTE_ALL)
    else:
        with open(name, "w", newline="", encoding="utf-8") as file:
            file.write(content)
    predict(name, name, "found.csv")
    checks.check(read("found.csv") == expected, f"{name}: same predictions")
write("one.csv", rows[:1])
predict("one row on 3 ranks", "one.csv", "found.csv", ranks=3)
checks.check(read("found.csv") == expected[:2], "one row")
for name, content, reason in (("empty.csv", "", "'empty.csv' is empty (it has no rows)"),
                              ("header.csv", ",".join(HEADER) + "\n", "'header.csv' is empty (it has only a header)"),
                              ("mark-only.csv", "\ufeff", "'mark-only.csv' is empty")):
    with open(name, "w", encoding="utf-8") as file:
        file.write(content)
    refused(name, reason, "run", name, "x.csv")
    refused(f"{name} in evaluate", reason, "run", f"--data.file={name}", command="evaluate")
write("twice.csv", [row + ["1"] for row in rows], HEADER + ["x1"])
refused("a feature twice", "have the same name, 'x1'", "run", "twice.csv", "x.csv")
write("targets.csv", [row + ["no"] for row in rows], HEADER + ["label"])
refused("the target twice", "'label'", "run", "targets.csv", "x.csv")
refused("the target twice in evaluate", "'label'", "run", "--data.file=targets.csv", command="evaluate")

# ---- Row names

names = ['a "b"', "c, d", "two\nlines", "", "São Paulo", "7"]
write("names.csv", [[names[index % 6]] + row for index, row in enumerate(rows)], ["the, name"] + HEADER)
refused("row names are not a feature", "'the, name'", "run", "names.csv", "x.csv")
predict("--id", "names.csv", "found.csv", "--id=0")
checks.check(read("found.csv") == [["the, name"] + expected[0]] +
             [[names[index % 6]] + row for index, row in enumerate(expected[1:])],
             "--id: names with quotes, commas, lines")
predict("--drop", "names.csv", "found.csv", "--drop=0")
checks.check(read("found.csv") == expected, "--drop of a column with line ends in its cells")
predict("--id is the target", "train.csv", "found.csv", "--id=label")
checks.check([row[0] for row in read("found.csv")] == ["label"] + [row[3] for row in rows], "--id is the target")

write("id.csv", [["1"] + row for row in rows[:5]], ["prediction"] + HEADER)
refused("--id with the name of a column of predictions", "two columns of the predictions would be called 'prediction'",
        "run", "id.csv", "x.csv", "--id=prediction")

# ---- Many rows: the same bytes on any number of ranks

values = random.normal(size=(ROWS, 3))
write("many.csv", [[f"row {number}"] + [f"{value:.5f}" for value in row] for number, row in enumerate(values)],
      ["name"] + HEADER[:3])
for output in ("many.csv-1.csv", "many.h5"):
    found = []
    for ranks, lanes in ((None, 1), (3, 2)):
        predict(f"{ROWS} rows on {ranks} ranks", "many.csv", output, f"--run.lanes={lanes}",
                "--id=name" if output.endswith(".csv") else "--drop=name", ranks=ranks)
        found.append(bytes_of(output))
    checks.check(found[0] == found[1], f"{output}: the same bytes on 1 and 3 ranks")
found = read("many.csv-1.csv")
checks.check(len(found) == ROWS + 1 and found[-1][0] == f"row {ROWS - 1}", "all rows, in order", found[-1])

# ---- Outputs that cannot be written

os.symlink("train.csv", "link.csv")
for case, source, output in (("CSV", "train.csv", "train.csv"), ("HDF5", "train.h5", "./train.h5"),
                             ("a link", "train.csv", "link.csv")):
    for overwrite in ("true", "false"):
        refused(f"the output is the input ({case}, --overwrite={overwrite})", "are the same file", "run", source,
                output, f"--overwrite={overwrite}")
refused("evaluate: the predictions are the input", "are the same file", "run", "--data.file=train.csv",
        "--predictions=train.csv", "--overwrite=true", command="evaluate")
refused("import: the output is the file of --like", "are the same file", "train.csv", "train.h5", "--like=train.h5",
        "--overwrite=true", command="import")
refused("missing directory", "No such file or directory", "run", "train.csv", "absent/x.csv")
os.mkdir("folder.csv")
refused("a directory", "'folder.csv' is a directory", "run", "train.csv", "folder.csv")
refused("existing output", "'expected.csv' already exists", "run", "train.csv", "expected.csv")
refused("--id in HDF5", "--id needs predictions in a CSV file ('x.h5' is an HDF5 file)", "run", "names.csv", "x.h5",
        "--id=0", code=2)
refused("unknown ending", "no known ending", "run", "train.csv", "x.txt", code=2)
os.makedirs("disk", exist_ok=True)
# The disk is full while the numbers are written, or while the CSV file is made from them.
binary = os.path.getsize("many.h5")
for size, output in ((binary // 2, "full.csv"), (binary * 3 // 2, "full.csv"), (binary // 2, "full.h5")):
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", "disk"], capture_output=True).returncode:
        print("full disk: skipped (mounting a file system is not permitted)")
        break
    try:
        for ranks in (None, 3):
            result = sheaf("predict", "run", "many.csv", f"disk/{output}", "--drop=name", ranks=ranks)
            checks.check(result.code == 1 and len(result.error_lines()) == 1 and "No space left" in result.stderr
                         and not os.listdir("disk"), f"full disk, {size}, {output}, {ranks} ranks",
                         f"{result.code} {result.stderr} {os.listdir('disk')}")
    finally:
        subprocess.run(["umount", "disk"], check=True)

# ---- A signal leaves no partial file

# The signal goes to the stopped ranks, not to mpiexec, which wakes them first and kills those that do not end within a
# second, for example in a slow fdatasync.
for output in ("stopped.csv", "stopped.h5"):
    for attempt in range(25):  # on a busy machine, a file may be complete before it is seen
        program = Started([SHEAF, "predict", "run", "many.csv", output, "--drop=name", "--overwrite"], ranks=3)
        if program.creep_until(lambda: glob.glob("stopped*.partial")):
            break
        program.finish()
    for process in program.rank_processes():
        os.kill(process, signal.SIGTERM)
    program.go_on()
    result = program.finish()
    left = glob.glob("stopped*")  # the file may be complete when the signal comes
    checks.check(attempt < 24 and (result.code != 0 and not left or left == [output]),
                 f"SIGTERM to 3 ranks leaves no partial file ({output})", f"{result.code} {left}")
    if left == ["stopped.csv"]:
        checks.check(read("stopped.csv")[1:] == [row[1:] for row in read("many.csv-1.csv")[1:]], "a complete file")
    for name in left:
        os.remove(name)
sys.exit(checks.finish())
