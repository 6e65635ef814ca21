"""Training on streamed files: losses do not depend on ranks and lanes, the accuracy is that of data in memory, memory
does not grow with the file, and errors during training are reported."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

from program import DIGITS, Checks, launch, read_csv, sheaf

checks = Checks()


STUDY = """
[data]
task = classification
normalize = none
validation = 0
[model]
kind = linear
[train]
loss = cross_entropy
optimizer = adam
learning_rate = 1e-2
batch_size = 50
epochs = 10
[run]
output = run
device = cpu
models = none
"""


def write_sorted(path, copies, **layout):
    """Writes the digits, `copies` times with noise, sorted by label: the worst order for training."""
    random = numpy.random.default_rng(0)
    with h5py.File(DIGITS) as file:
        features, labels = file["features"][:].astype("f4"), file["targets"][:]
    features = numpy.concatenate([features + random.normal(0, 1, features.shape).astype("f4") for _ in range(copies)])
    labels = numpy.tile(labels, copies)
    order = numpy.argsort(labels, kind="stable")
    with h5py.File(path, "w") as file:
        file.create_dataset("features", data=features[order], **layout)
        file.create_dataset("targets", data=labels[order])
    return os.path.getsize(path)


def run(*args, file="sorted.h5", **options):
    shutil.rmtree("run", ignore_errors=True)
    return sheaf("run", "study.cfg", f"--data.file={file}", *args, **options)


def read_mebibytes(done):
    """MiB of features that the job has read, according to its summary."""
    return float(done.stdout.split("data: streamed, ")[1].split(" MiB read")[0])


def results():
    return [(row["iteration"], row["final_loss"], row["validation_loss"], row["validation_score"], row["steps"])
            for row in read_csv("run/results.csv")]


def accuracy():
    return numpy.mean([float(row["validation_score"]) for row in read_csv("run/results.csv")])


def check_sameness():
    write_sorted("sorted.h5", 10, chunks=(90, 64), compression="gzip", shuffle=True)
    common = ["--data.mode=streamed", "--data.memory=1", "--data.normalize=standard", "--model.kind=mlp",
              "--model.hidden=16", "--train.epochs=2", "--study.iterations=3", "--run.curves=yes"]
    for args in (["--search.method=grid", "--search.folds=2"], ["--run.engine=torch", "--data.validation=0.1"],
                 ["--data.validation=0.2", "--ensemble.members=2", "--ensemble.bootstrap=yes"]):
        reference = None
        for ranks, lanes in ((1, 1), (1, 3), (2, 1), (3, 2)):
            done = run(*common, *args, f"--run.lanes={lanes}", ranks=ranks)
            checks.check(done.code == 0 and "data: streamed" in done.stdout, f"{args}: the run succeeds", done.stderr)
            found = results()
            reference = reference or found
            checks.check(found == reference and len({row[1] for row in found}) == len(found),
                         f"{args}: same losses on {ranks} ranks of {lanes} lanes", f"{found}\nnot {reference}")
            with h5py.File("run/results.h5") as file:
                curves = file["epochs"][:]
            checks.check(len(curves) == 2 * len(found) and numpy.isfinite(curves["validation_score"]).all(),
                         f"{args}: curves of all epochs", str(curves[:4]))


def check_accuracy():
    """The accuracy is within one percentage point of a full shuffle, on a file sorted by label with several windows."""
    common = ["--data.validation=0.2", "--data.normalize=standard", "--model.kind=mlp", "--model.hidden=32",
              "--train.epochs=4", "--study.iterations=4"]
    run(*common, "--data.mode=memory")
    full = accuracy()
    done = run(*common, "--data.mode=streamed", "--data.memory=2")
    checks.check("windows" in done.stderr and "streamed: 1 window " not in done.stderr, "the file has several windows",
                 done.stderr)
    checks.check(accuracy() > full - 0.01, "accuracy of the window shuffle", f"{accuracy()} against {full}")
    checks.check(full > 0.9, "accuracy of the full shuffle", str(full))
    # The test would detect a missing shuffle: without one, training sees one digit after the other.
    run(*common, "--data.mode=streamed", "--data.memory=1", "--train.shuffle=no")
    checks.check(accuracy() < full - 0.05, "accuracy without a shuffle", f"{accuracy()} against {full}")


def check_cache():
    """Memory that windows leave free caches part of the file, which is then read once; the losses do not change."""
    write_sorted("sorted.h5", 10, chunks=(90, 64), compression="gzip", shuffle=True)
    common = ["--data.mode=streamed", "--data.window=1980", "--data.validation=0.2", "--model.kind=mlp",
              "--model.hidden=16", "--train.epochs=4", "--run.curves=yes"]  # eight passes
    read, losses = [], []
    for memory, ranks in ((1, 1), (3, 1), (100, 1), (3, 3), (100, 2)):
        done = run(*common, f"--data.memory={memory}", ranks=ranks)
        checks.check(done.code == 0, f"data.memory = {memory}, {ranks} ranks: the run succeeds", done.stderr)
        reported = "in memory;" in done.stderr, "the whole file is kept in memory" in done.stderr
        checks.check(reported == (memory == 3, memory == 100), f"data.memory = {memory}: the cached part is reported",
                     done.stderr)
        read.append(read_mebibytes(done))
        losses.append(results())
    size = 17970 * 64 * 4 / 2**20
    checks.check(abs(read[0] - 8 * size) < 0.1, "without a cache every pass reads all rows",
                 f"{read}, the rows have {size} MiB")
    checks.check(read[2] < 1.3 * size and read[4] < 1.3 * size, "a file that fits into memory is read once",
                 f"{read}, {size} MiB")
    checks.check(2 * size < read[1] < 7 * size and 2 * size < read[3] < 7 * size, "a cached part is read once",
                 f"{read}, {size} MiB")
    checks.check(all(other == losses[0] for other in losses), "same losses with any data.memory", str(losses))
    # Features that need no conversion are used directly from the cache, here with targets and weights.
    random = numpy.random.default_rng(3)
    with h5py.File("cached.h5", "w") as file:
        file.create_dataset("features", data=random.integers(0, 256, (20000, 60), "u1"), chunks=(100, 60))
        file.create_dataset("targets", data=random.random((20000, 2)).astype("f4"))
        file.create_dataset("weights", data=random.random(20000).astype("f4"))
    common = ["--data.mode=streamed", "--data.window=1000", "--data.task=regression", "--data.weights=/weights",
              "--data.normalize=standard", "--data.validation=0.1", "--train.loss=mse", "--train.epochs=3"]
    losses = []
    for memory, ranks in ((1, 1), (100, 1), (100, 2)):
        done = run(*common, f"--data.memory={memory}", file="cached.h5", ranks=ranks)
        checks.check(done.code == 0, f"weights, data.memory = {memory}, {ranks} ranks: the run succeeds", done.stderr)
        checks.check(("the whole file" in done.stderr) == (memory == 100),
                     f"weights, data.memory = {memory}: whether the whole file is cached", done.stderr)
        losses.append(results())
    checks.check(losses[0] == losses[1] == losses[2] and len(losses[0]) > 0,
                 "weights: same losses with any data.memory", str(losses))


def check_rounds():
    """The lanes of a node train all models together, so each epoch reads the file once. Shrinking claims need several
    rounds, each of which reads the file again."""
    write_sorted("sorted.h5", 10, chunks=(90, 64))
    size = 17970 * 64 * 4 / 2**20
    common = ["--study.iterations=7", "--data.mode=streamed", "--data.memory=1", "--data.window=1980",
              "--train.epochs=2", "--run.lanes=2"]
    losses = []
    for ranks, partition, rounds in ((1, "auto", 1), (2, "auto", 1), (1, "factoring", 3)):
        done = run(*common, f"--run.partition={partition}", ranks=ranks)
        checks.check(done.code == 0, f"{partition}, {ranks} ranks: the run succeeds", done.stderr)
        read = read_mebibytes(done)
        checks.check(abs(read - 2 * rounds * size) < 0.1, f"{partition}, {ranks} ranks: {rounds} reads per epoch",
                     f"{read}, the rows have {size} MiB")
        losses.append(results())
    checks.check(losses[0] == losses[1] == losses[2] and len(losses[0]) == 7, "same losses with any number of rounds",
                 str(losses))
    searched = ["--search.method=grid", "--search.model.hidden=8, 16", "--model.kind=mlp"]
    for args, kind in ((common, "block"), (common[1:] + searched, "factoring"), (["--run.lanes=2"], "factoring")):
        planned = sheaf("plan", "study.cfg", "--data.file=sorted.h5", *args)
        checks.check(f"partition    {kind} over 2 lanes" in planned.stdout, f"{args}: the plan has partition {kind}",
                     planned.stdout)


def check_scattered():
    """The last task of an array, and a resume of every third iteration, read the file as often as one job that trains
    the same number of models."""
    write_sorted("sorted.h5", 10, chunks=(90, 64))
    epochs_size = 2 * 17970 * 64 * 4 / 2**20
    common = ["--data.mode=streamed", "--data.memory=1", "--data.window=1980", "--train.epochs=2", "--run.lanes=2"]
    done = run(*common, "--study.iterations=12")
    losses = results()
    checks.check(abs(read_mebibytes(done) - epochs_size) < 0.1, "the whole study reads the file once per epoch",
                 done.stdout)
    common += ["--study.iterations=12", "--run.output=run", "--data.file=sorted.h5"]
    for case, ranks, args in (("task", 1, ["run", "study.cfg", *common, "--run.array=2/3"]),
                              ("task", 2, ["run", "study.cfg", *common, "--run.array=2/3"]),
                              ("resume", 1, ["resume", "run"]), ("resume", 2, ["resume", "run"])):
        shutil.rmtree("run", ignore_errors=True)
        for task in (0, 1):
            sheaf("run", "study.cfg", *common, f"--run.array={task}/3")
        done = sheaf(*args, ranks=ranks)
        checks.check(done.code == 0, f"{case} on {ranks} ranks: succeeds", done.stderr)
        checks.check(abs(read_mebibytes(done) - epochs_size) < 0.1, f"{case} on {ranks} ranks: one read per epoch",
                     f"{done.stdout}\none epoch reads {epochs_size / 2} MiB")
        checks.check(results() == losses, f"{case} on {ranks} ranks: same losses", str(results()))


def check_diverged():
    """When all models of a round have diverged, the rest of its epochs is not read."""
    write_sorted("sorted.h5", 10, chunks=(90, 64))
    size = 17970 * 64 * 4 / 2**20
    common = ["--data.mode=streamed", "--data.window=1980", "--train.epochs=20", "--run.lanes=2",
              "--train.optimizer=sgd", "--model.kind=mlp", "--model.hidden=8"]
    for ranks, args, rounds in ((1, [], 1), (2, [], 1),
                                (1, ["--data.validation=0.1", "--run.partition=factoring"], 3)):
        done = run(*common, *args, "--data.memory=1", "--study.iterations=7", "--train.learning_rate=1e30",
                   ranks=ranks)
        checks.check({row["status"] for row in read_csv("run/results.csv")} == {"diverged"}, "all models diverge",
                     done.stderr)
        checks.check(size * rounds <= read_mebibytes(done) < 1.3 * size * rounds,
                     f"{args}, {ranks} ranks: one epoch is read per round",
                     f"{done.stdout}\nof {size} MiB")
    searched = ["--search.method=grid", "--search.train.learning_rate=1e30, 0.001", "--data.validation=0.1"]
    done = run(*common, *searched, "--data.memory=1", "--run.partition=block")
    checks.check(abs(read_mebibytes(done) - 21 * size) < 0.1, "a model that has not diverged trains for all epochs",
                 f"{done.stdout}\nof {size} MiB")
    reference = results()
    run(*common, *searched, "--data.memory=100", ranks=2)
    checks.check(results() == reference and len(reference) == 2,
                 "diverging models: same losses when the whole file is cached", str(results()))


def check_diverged_long():
    """When the models with many epochs have diverged, only the validation pass of the others is still read."""
    with h5py.File("ones.h5", "w") as file:
        features = numpy.zeros((20000, 60), "f4")
        features[:, 0] = 1  # every step multiplies the error by 1 - 4 * learning_rate
        file.create_dataset("features", data=features, chunks=(100, 60))
        file.create_dataset("targets", data=numpy.ones(20000, "f4"))
    size = 20000 * 60 * 4 / 2**20
    common = ["--data.mode=streamed", "--data.window=1000", "--data.task=regression", "--model.kind=linear",
              "--train.loss=mse",
              "--train.optimizer=sgd", "--train.batch_size=100", "--train.learning_rate=0.52", "--search.method=grid",
              "--search.train.epochs=1, 20"]
    for ranks, args, validations in ((1, ["--data.validation=0.1"], 1), (2, ["--data.validation=0.1"], 1), (1, [], 0)):
        run(*common, *args, "--data.memory=100", file="ones.h5", ranks=ranks)
        reference = results()
        done = run(*common, *args, "--data.memory=1", file="ones.h5", ranks=ranks)
        rows = read_csv("run/results.csv")
        checks.check([row["status"] for row in rows] == ["finished", "diverged"] and results() == reference,
                     f"{args}, {ranks} ranks: the model with 20 epochs diverges", f"{results()}\nnot {reference}")
        passes = int(rows[1]["epochs"]) + validations
        checks.check(passes * size <= read_mebibytes(done) + 0.1 < (passes + 0.3) * size,
                     f"{args}, {ranks} ranks: {passes} passes are read", f"{done.stdout}\nof {size} MiB")


def check_memory(kind):
    """Peak memory does not grow if the file is three times as large. Features of type `kind` may need a conversion."""
    peaks = []
    for rows in (50000, 150000):
        with h5py.File("large.h5", "w") as file:
            features = file.create_dataset("features", (rows, 400), kind)
            for begin in range(0, rows, 10000):
                features[begin : begin + 10000] = numpy.random.default_rng(begin).random((10000, 400), dtype="f4")
            file.create_dataset("targets", data=numpy.arange(rows) % 10)
        shutil.rmtree("run", ignore_errors=True)
        args = [os.environ["SHEAF"], "run", "study.cfg", "--data.file=large.h5", "--train.epochs=1",
                "--data.mode=streamed", "--data.memory=16", "--run.lanes=1"]
        process = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        stderr = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        checks.check(status == 0, f"{rows} rows of {kind}: the run succeeds", stderr)
        peaks.append(usage.ru_maxrss / 1024)
    os.remove("large.h5")
    checks.check(peaks[1] < peaks[0] + 30, f"{kind}: peak memory does not grow with the file (160 MiB larger)",
                 f"{peaks} MiB")


def peaks_of(args, ranks):
    """The peak memory of each rank in MiB."""
    # Peaks are written to files: mpiexec can lose output that a process prints after MPI_Finalize of its child.
    measure = ("import os, resource, sys; code = os.spawnvp(os.P_WAIT, sys.argv[2], sys.argv[2:]); "
               "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss; "
               "open(f'{sys.argv[1]}/{os.getpid()}', 'w').write(str(peak)); sys.exit(code)")
    shutil.rmtree("run", ignore_errors=True)
    with tempfile.TemporaryDirectory() as peaks:
        done = launch([sys.executable, "-c", measure, peaks, os.environ["SHEAF"], "run", "study.cfg", *args],
                      ranks=ranks)
        checks.check(done.code == 0, f"{args} on {ranks} ranks: the run succeeds", done.stderr)
        return [int(path.read_text()) / 1024 for path in pathlib.Path(peaks).iterdir()]


def check_narrow_rows():
    """The memory of a rank for each row of the file, in addition to data.memory, is small."""
    rows, memory = 2000000, 8
    for name, count in (("few.h5", 2000), ("many.h5", rows)):
        with h5py.File(name, "w") as file:
            # Big-endian, so that the file is not mapped: mapped pages would count as memory.
            file.create_dataset("features", data=numpy.random.default_rng(1).random((count, 4), "f4").astype(">f4"),
                                chunks=(min(count, 20000), 4))
            file.create_dataset("targets", data=numpy.arange(count, dtype="i4") % 5)
    common = ["--data.mode=streamed", f"--data.memory={memory}", "--train.epochs=1", "--train.batch_size=1000",
              "--run.lanes=1"]
    # Bytes per row: the label. With a hold-out also the fold number, 8 bytes while folds are drawn, and five outputs
    # for each held-out row.
    held_out = 8 + 4 + 8 + 0.2 * (8 + 5 * 4)
    for args, row_bytes, ranks in (([], 8, 1), (["--data.validation=0.2"], held_out, 1),
                                   (["--data.validation=0.2"], held_out, 2)):
        few, many = (max(peaks_of([*common, *args, f"--data.file={name}"], ranks)) for name in ("few.h5", "many.h5"))
        allowed = memory + rows * row_bytes / 2**20 + 12
        checks.check(many - few < allowed, f"{args}, {ranks} ranks: {rows} rows take at most {allowed:.0f} MiB",
                     f"{many} MiB against {few}")
    os.remove("many.h5")


def check_errors():
    write_sorted("sorted.h5", 4, chunks=(90, 64), compression="gzip")
    streamed = ["--data.mode=streamed", "--data.memory=1"]
    for args, code, message in (
            (streamed + ["--train.batch_size=full"], 2, "train.batch_size = full requires all rows in memory"),
            (streamed + ["--search.method=grid", "--search.train.shuffle=true, false"], 2,
             "train.shuffle cannot be searched"),
            (["--data.mode=streamed", "--data.memory=1", "--data.window=100000000"], 1, "does not fit into memory"),
            (streamed + ["--data.channels=last"], 1, "data.channels = last needs images"),
            (streamed + ["--data.normalize=standard", "--search.method=grid", "--search.folds=2",
                         "--search.repeats=501"], 2, "data.normalize = standard supports at most 1000 splits "
             "of streamed data (study.iterations, search.repeats and search.folds make 1002). Reduce them")):
        done = run(*args, ranks=2)
        checks.check(done.code == code and message in done.stderr and len(done.error_lines()) == 1,
                     f"{args[-1]} is refused",
                     done.stderr)
    with h5py.File("sorted.h5") as file:  # a chunk in the middle is damaged: detected during training
        offset = file["features"].id.get_chunk_info(20)
    with open("sorted.h5", "r+b") as file:
        file.seek(offset.byte_offset + offset.size // 2)
        file.write(b"damaged")
    for memory, ranks in ((1, 1), (1, 3), (100, 1), (100, 3)):
        done = run("--data.mode=streamed", f"--data.memory={memory}", ranks=ranks)
        checks.check(done.code == 1 and "cannot be read (it" in done.stderr and len(done.error_lines()) == 1,
                     f"damaged chunk, {ranks} ranks, data.memory = {memory}: one error line", done.stderr)
        checks.check(not os.path.exists("run/results.csv"),
                     f"damaged chunk, {ranks} ranks, data.memory = {memory}: no result files")


with open("study.cfg", "w") as file:
    file.write(STUDY)
check_sameness()
check_accuracy()
check_cache()
check_rounds()
check_scattered()
check_diverged()
check_diverged_long()
check_memory("<f4")
check_memory(">f4")
check_narrow_rows()
check_errors()
sys.exit(checks.finish())
