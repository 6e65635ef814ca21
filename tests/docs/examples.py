#!/usr/bin/env python3
"""Checks the examples of the given pages: runs blocks of commands (sh), commands in tables, and Python that imports what it
needs and reads a run; plans study files (ini) and compiles other Python. Blocks of output (text) are compared with the
real output: times, rates, LibTorch's version and the sizes of Slurm jobs may differ, other numbers by a fifth."""
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

SHEAF = os.environ["SHEAF"]
SOURCE = os.environ["SHEAF_SOURCE"]

# Commands that another test runs: pairs of a pattern and the name of that test.
ELSEWHERE = [
    (r"bash jobs/quickstart\.sh", "jobs_quickstart"),
    (r"STUDY=\S+ (RANKS=\S+ )?(OUTPUT=\S+ )?bash jobs/local\.sh.*", "jobs_local"),
    (r"STUDY=\S+ (OUTPUT=\S+ )?sbatch .*", "jobs_slurm"),
    (r"bash cmake/setup\.sh.*", "jobs_setup"),
]
# Commands that are not run: they build the program, run tests (this one among them), or need another machine.
BY_HAND = [r"cmake --preset .*", r"cmake --build .*", r"cmake --install .*",
           r"bash cmake/package\.sh.*", r"apt-get install .*", r"bash tests/run\.sh.*",
           r"(bash )?tests/(fuzz|sanitize|wheel|distribution|packages|gpu)/run\.sh.*",
           r"(mpirun|mpiexec) .*build/release/tests/bench/.*", r"build/release/tests/bench/.*",
           r"python3 tests/bench/.*", r"(SHEAF_GPU_TESTS=cpu )?ctest .*"]


def blocks_of(text):
    """Returns pairs of language and content, in order. A command in a table is a block of one line."""
    blocks, lines, content, language = [], text.splitlines(), [], None
    for line in lines:
        if line.startswith("```"):
            if language is None:
                language, content = line[3:].strip(), []
            else:
                blocks.append((language, "\n".join(content) + "\n"))
                language = None
        elif language is not None:
            content.append(line)
        elif line.startswith("|"):
            blocks += [("table", command + "\n") for command in re.findall(
                r"`(sheaf (?:import|run|evaluate|predict|importance|preprocess) [^`]*)`", line)
                       if not re.search(r"STUDY|IN\.h5|RUN_DIR|MODEL", command)]
    return blocks


def write_files(directory):
    """Writes the data files that the examples use."""
    random = numpy.random.default_rng(1)
    labels = random.integers(0, 3, 120)
    features = random.normal(size=(120, 4)) + labels[:, None]
    names = numpy.array(["adelie", "chinstrap", "gentoo"])[labels]

    def write_csv(name, rows, header, last):
        with open(os.path.join(directory, name), "w") as file:
            file.write(header + "\n")
            for row in rows:
                cells = [f"{value:.6g}" for value in features[row]] + ([last(row)] if last else [])
                file.write(",".join(map(str, cells)) + "\n")
    write_csv("train.csv", range(90), "bill,depth,flipper,mass,species", lambda row: names[row])
    write_csv("test.csv", range(90, 120), "bill,depth,flipper,mass,species", lambda row: names[row])
    write_csv("more.csv", range(60, 90), "bill,depth,flipper,mass,species", lambda row: names[row])
    write_csv("new.csv", range(90, 120), "bill,depth,flipper,mass", None)
    write_csv("houses.csv", range(90), "id,rooms,area,age,price", lambda row: f"{features[row].sum():.4g}")
    write_csv("songs.csv", range(90), "tempo,energy,key,year,happy,sad,calm", lambda row: f"{row % 2},{row % 3 // 2},{row % 5 // 4}")
    numpy.save(os.path.join(directory, "X.npy"), features.astype("f4"))
    numpy.save(os.path.join(directory, "y.npy"), labels)
    numpy.savez(os.path.join(directory, "arrays.npz"), x_train=features.astype("f4"), y_train=labels)
    images = random.integers(0, 256, (20, 28, 28), dtype="u1")
    import gzip
    for name, kind, values in (("train-images-idx3-ubyte.gz", 3, images),
                               ("train-labels-idx1-ubyte.gz", 1, labels[:20].astype("u1"))):
        with gzip.open(os.path.join(directory, name), "wb") as file:
            file.write(bytes([0, 0, 8, kind]) + numpy.array(values.shape, ">i4").tobytes() + values.tobytes())
    for name in ("data_batch_1.bin", "data_batch_2.bin"):
        with open(os.path.join(directory, name), "wb") as file:
            for row in range(10):
                file.write(bytes([row]) + random.integers(0, 256, 3072, dtype="u1").tobytes())
    with h5py.File(os.path.join(directory, "photos.h5"), "w") as file:
        file["features"] = random.integers(0, 256, (12, 16, 16, 3), dtype="u1")
        file["targets"] = labels[:12]
    with open(os.path.join(directory, "my.cfg"), "w") as file:
        file.write("[data]\nsource = synthetic\n")
    with open(os.path.join(directory, "hosts"), "w") as file:
        file.write("localhost slots=1\n")


def is_elsewhere(command, tests):
    for pattern, test in ELSEWHERE:
        if re.fullmatch(pattern, command):
            if test not in tests:
                raise SystemExit(f"test {test}, which runs '{command}', does not exist")
            return True
    return any(re.fullmatch(pattern, command) for pattern in BY_HAND)


def run(command, directory):
    done = subprocess.run(["bash", "-c", command], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300,
                          env={**os.environ, "PATH": os.path.dirname(SHEAF) + ":" + os.environ["PATH"]})
    if done.returncode != 0:
        raise SystemExit(f"'{command}' exits with {done.returncode}:\n{done.stdout}")
    return done.stdout


def same_token(sample, real):
    if sample == real:
        return True
    strip = lambda token: token.strip("(),;%").removesuffix("/s")
    try:
        one, other = float(strip(sample)), float(strip(real))
    except ValueError:
        return False
    if sample.rstrip(",").endswith("/s"):
        return True
    # Rounding depends on the instruction set of the processor.
    return math.isclose(one, other, rel_tol=0.2)


def same_line(sample, real):
    time = r"^\d\d:\d\d:\d\d "
    if bool(re.match(time, sample)) != bool(re.match(time, real)):
        return False
    real = real.replace(SOURCE + "/", "")
    for pattern in (time, r"(?<=\bin )[\d.e-]+ s\b", r"(?<=LibTorch: )[\w.+]+",
                    r"(?<=--)(nodes|ntasks-per-node|cpus-per-task|time)=\S+"):
        sample, real = re.sub(pattern, "", sample), re.sub(pattern, "", real)
    one, other = sample.split(), real.split()
    return len(one) == len(other) and all(map(same_token, one, other))


def compare_output(sample, real):
    """Checks that `real` has all lines of `sample`, in any order, since stdout and stderr mix. '...' is ignored."""
    for line in sample.splitlines():
        if line != "..." and not any(same_line(line, other) for other in real.splitlines()):
            raise SystemExit(f"line of a sample that is not in the real output:\n{line}\n{real}")


def same_picture(sample, real):
    """Whether two SVG files have the same marks and texts, apart from rounding and the style sheet."""
    def tokens(text):
        return re.findall(r"-?[0-9.]+(?:e-?\d+)?|[A-Za-z_]+", re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL))
    one, other = tokens(sample), tokens(real)
    return len(one) == len(other) and all(
        a == b or same_token(a, b) or (a[-1].isdigit() and b[-1].isdigit() and abs(float(a) - float(b)) < 3)
        for a, b in zip(one, other))


def check_pictures(page, folder, directory):
    """Checks that the pictures of a page in `pictures` are those that its commands have drawn."""
    for name in re.findall(r"\]\(pictures/(\S+\.svg)\)", page):
        texts = []
        for path in (os.path.join(folder, "pictures", name), os.path.join(directory, "wine-pictures", name)):
            with open(path) as file:
                texts.append(file.read())
        if not same_picture(*texts):
            raise SystemExit(f"pictures/{name} is not the picture that the commands of the page draw")


def check_page(path, tests):
    with open(path) as file:
        page = file.read()
    blocks = blocks_of(page)
    directory = tempfile.mkdtemp(prefix="examples-")
    counts = {}
    try:
        for name in ("data", "jobs", "cmake"):
            os.symlink(os.path.join(SOURCE, name), os.path.join(directory, name))
        write_files(directory)
        if os.path.basename(os.path.dirname(path)) == "jobs":  # files that earlier pages create
            run("sheaf run jobs/studies/digits-search.cfg --train.epochs=1 --run.output=runs/digits --run.models=best",
                directory)
            run("sheaf import train.csv train.h5 && sheaf import test.csv test.h5 && sheaf run "
                "jobs/studies/digits-search.cfg --data.file=train.h5 --run.output=runs/mine --run.models=best",
                directory)
        output = None
        for language, text in blocks:
            counts[language] = counts.get(language, 0) + 1
            if language == "table":  # in a run directory of its own
                run(text.strip() + (f" --run.output=runs/row-{len(counts)}-{counts[language]}" if "sheaf run" in text else ""), directory)
            elif language == "sh":
                output = ""
                for command in text.splitlines():
                    if not is_elsewhere(command, tests):
                        output += run(command, directory)
                    elif command == "bash jobs/quickstart.sh":
                        output += run("mpirun -n 2 --bind-to none sheaf run jobs/studies/digits-search.cfg", directory)
                    elif command == "bash tests/run.sh":
                        output += f"100% tests passed, 0 tests failed out of {len(tests)}\n"
                    else:
                        output = None
                        break
            elif language == "ini":
                study = os.path.join(directory, "study.cfg")
                with open(study, "w") as file:
                    file.write(text)
                names_a_file = "file" in text
                run("sheaf plan study.cfg" + ("" if names_a_file else " --data.file=data/digits.h5"), directory)
            elif language == "text" and output is not None:
                compare_output(text, output)
            elif language == "python":
                compile(text, path, "exec")
                if text.startswith("import ") and "runs/" in text:  # uses files of the page
                    run(f"{shlex.quote(sys.executable)} - <<'END'\n{text}END", directory)
                if "results.h5" in text:  # reads the tables of a run
                    tables = "[value for value in list(globals().values()) if isinstance(value, pandas.DataFrame)]"
                    check = f"assert {tables} and all(len(table) > 0 for table in {tables})"
                    subprocess.run([sys.executable, "-c", f"import h5py, pandas\n{text}\n{check}"],
                                   cwd=os.path.join(directory, "runs", "mine"), check=True)
        check_pictures(page, os.path.dirname(path), directory)
    finally:
        shutil.rmtree(directory)
    print(f"{os.path.relpath(path, SOURCE)}: {counts}")


def main():
    listed = subprocess.run(["ctest", "-N"], cwd=os.environ["SHEAF_BUILD"], capture_output=True, text=True, check=True)
    tests = set(re.findall(r"Test +#\d+: (\S+)", listed.stdout))
    for path in sys.argv[1:]:
        check_page(path, tests)


main()
