"""sheaf report: tables, pages, pictures and traces of runs that are finished, killed or under way."""

import csv
import glob
import html.parser
import io
import json
import os
import re
import shlex
import shutil
import signal
import sys
import xml.etree.ElementTree

import h5py
import numpy

from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
SEARCH = [DIGITS, "--run.curves=true", "--search.method=grid", "--search.folds=3", "--search.model.hidden=8,16",
          "--search.train.learning_rate=0.001,0.01,0.1", "--train.epochs=4"]


class Page(html.parser.HTMLParser):
    """A page: its balanced elements, texts, links, and the rows of its tables."""

    def __init__(self, text):
        super().__init__()
        self.text, self.open, self.problems, self.ids, self.links, self.tables = text, [], [], [], [], {}
        self.requests, self.figures, self.cell, self.table = [], 0, None, None
        self.feed(text)
        self.close()
        if self.open:
            self.problems.append(f"not closed: {self.open}")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if len(names) != len(attributes):
            self.problems.append(f"repeated attribute of {tag}")
        if "id" in names:
            self.ids.append(names["id"])
        for name in ("src", "href", "xlink:href", "action", "poster", "srcset", "data"):
            if name in names:
                (self.links if names[name].startswith("#") else self.requests).append(names[name])
        if tag in ("link", "base", "iframe", "object", "embed", "img"):
            self.requests.append(tag)
        if any(name.startswith("on") for name in names):
            self.problems.append(f"a handler in {tag}")
        if tag == "table":
            self.table = self.tables.setdefault(names.get("id", f"table-{len(self.tables)}"), [])
        if tag == "tr":
            self.table.append([])
        if tag in ("td", "th"):
            self.table[-1].append("")
            self.cell = True
        self.figures += tag == "figure"
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> in {self.open[-3:]}")
        else:
            self.open.pop()
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.cell and "svg" not in self.open:
            self.table[-1][-1] += data


def check_page(path, what):
    with open(path, encoding="utf-8") as file:
        page = Page(file.read())
    checks.check(page.problems == [], f"{what}: the page is well-formed", str(page.problems[:5]))
    checks.check(page.requests == [] and re.search(r"https?:|url\(|@import", page.text) is None,
                 f"{what}: the page requests nothing", str(page.requests[:5]))
    checks.check(len(set(page.ids)) == len(page.ids), f"{what}: identifiers are unique")
    checks.check(all(link[1:] in page.ids for link in page.links), f"{what}: links lead to sections", str(page.links))
    drawings = re.findall(r"<svg.*?</svg>", page.text, re.DOTALL)
    for drawing in drawings:
        root = xml.etree.ElementTree.fromstring(drawing)
        named = [child.tag for child in root if child.text]
        if "title" not in named or "desc" not in named:
            checks.check(False, f"{what}: each picture has a title and a description", drawing[:200])
        if re.search(r"(NaN|nan|inf)[ \"]", drawing):
            checks.check(False, f"{what}: places are numbers", re.search(r".{60}(NaN|nan|inf)[ \"]", drawing).group())
    return page


def report(*args, code=0):
    result = sheaf("report", *args)
    checks.check(result.code == code, f"report {args}", f"{result.code}\n{result.stderr}")
    return result


def printed_csv(*args):
    return list(csv.DictReader(io.StringIO(report(*args, "--format=csv").stdout)))


def complete_trials(directory):
    """The number of trials whose three folds are in the journal."""
    done = set(journaled(directory))
    return sum({3 * trial, 3 * trial + 1, 3 * trial + 2} <= done for trial in range(6))


# What is not a run, and options that are wrong.
for name in ("page.html", "trace.json"):
    if os.path.exists(name):
        os.remove(name)
for name in ("pictures", "empty"):
    shutil.rmtree(name, ignore_errors=True)
for args in ([], ["missing"], [DIGITS], ["missing", "--format=xml"], ["missing", "--htm=page.html"]):
    result = report(*args, code=2)
    checks.check(len(result.error_lines()) == 1 and result.stdout == "", f"report {args} has one message", result.stderr)
os.mkdir("empty")
checks.check("'empty' is not a run directory" in report("empty", "--html=page.html", code=2).stderr, "an empty directory")
checks.check(not os.path.exists("page.html") and os.listdir("empty") == [], "nothing is written")

# A finished search. Its numbers are those of results.csv.
shutil.rmtree("run", ignore_errors=True)
checks.check(sheaf("run", *SEARCH, "--run.output=run").code == 0, "a search")
rows = read_csv("run/results.csv")
losses = {}
for row in rows:
    losses.setdefault(int(row["trial"]), []).append(float(row["validation_loss"]))
means = {trial: sum(values) / len(values) for trial, values in losses.items()}
order = sorted(means, key=means.get)
text = report("run").stdout
for part in ("state        finished", "mean accuracy", "Importance of the searched keys", "share of variance",
             "Where the time of the lanes went", "core-seconds", "Train the best trial alone", "What to do next", "--search.folds=3"):
    checks.check(part in text, f"the text has '{part}'", text)
table = printed_csv("run")
checks.check([int(row["trial"]) for row in table] == order and
             all(abs(float(row["mean_validation_loss"]) - means[int(row["trial"])]) < 1e-12 for row in table),
             "the leaderboard as CSV", str(table))
found = json.loads(report("run", "--format=json").stdout)
checks.check([one["trial"] for one in found["ranked"]] == order and abs(sum(found["importances"].values()) - 1) < 1e-9 and
             0 < sum(found["variance_shares"].values()) <= 1 + 1e-9 and 2 <= len(found["advice"]) <= 5 and
             found["best"]["trial"] == order[0], "the report as JSON", str(found))


def check_time(found, what):
    time = found["time"]
    spent = sum(time[part] for part in ("training", "validation", "data", "waiting", "idle", "unfinished", "repeated", "other"))
    checks.check(abs(spent - time["core_seconds"]) < 0.01 * spent, f"{what}: the parts of the time add up", str(time))
    checks.check(abs(time["lost_core_seconds"] - time["unfinished"] - time["repeated"]) < 1e-9, f"{what}: lost work", str(time))


check_time(found, "a search")
checks.check(found["time"]["lost_core_seconds"] == 0 and "lost work" not in text, "a run without a kill loses no work")
expected = found["time"]["expected_seconds"]
planned = re.search(r"^time +about (\S+) (ms|s)", sheaf("plan", *SEARCH).stdout, re.MULTILINE)
checks.check(expected > 0 and planned is not None and
             abs(float(planned[1]) * {"ms": 1e-3, "s": 1}[planned[2]] - expected) < 0.1 * expected and "times as long." in text,
             "the expected time is that of the plan", f"{expected} {planned} {text}")
seconds = sum(float(row["seconds"]) for row in rows)
checks.check(abs(sum(found["time"][part] for part in ("training", "validation", "data")) - seconds) < 1e-6,
             "the time is that of the iterations", str(found["time"]))

# The command that trains the best trial alone.
shutil.rmtree("run-best", ignore_errors=True)
command = found["repeat"].split()
repeated = sheaf(*command[1:])
best = next(row for row in rows if int(row["trial"]) == order[0])
again = read_csv("run-best/results.csv") if repeated.code == 0 else []
with open("run-best/study.cfg" if again else os.devnull) as file:
    settled = file.read()
checks.check(command[:2] == ["sheaf", "run"] and len(again) == 3 and f"hidden = {best['model.hidden']}\n" in settled and
             f"learning_rate = {float(best['train.learning_rate']):g}\n" in settled, "the best trial alone", repeated.stderr)

# The page.
result = report("run", "--html=page.html", "--pictures=pictures", "--trace=trace.json")
checks.check(result.stdout == "", "no text besides files", result.stdout)
page = check_page("page.html", "a search")
board = page.tables["board"]
checks.check([int(row[1]) for row in board[1:]] == order and
             all(abs(float(row[board[0].index("mean validation loss")]) - means[int(row[1])]) < 1e-4 * means[int(row[1])]
                 for row in board[1:]), "the leaderboard of the page", str(board))
checks.check("There are no" not in page.text and page.figures >= 14, "all pictures are there", str(page.figures))

# Its predictions, computed from the tables with NumPy.
with h5py.File("run/results.h5") as file:
    held_out, iterations = file["predictions"][:], file["iterations"][:]
numbers = iterations["iteration"][iterations["trial"] == order[0]]
held_out = held_out[numpy.isin(held_out["iteration"], numbers)]
target, probabilities = held_out["target"], held_out["probabilities"].astype(float)
predicted = probabilities.argmax(axis=1)
for name, count, precision, recall, f1 in page.tables["classes"][1:]:
    number = int(name)
    right = float(numpy.sum((target == number) & (predicted == number)))
    expected = [right / max(1, numpy.sum(predicted == number)), right / max(1, numpy.sum(target == number))]
    expected.append(2 * expected[0] * expected[1] / max(1e-300, sum(expected)))
    checks.check(int(count) == numpy.sum(target == number) and
                 all(abs(float(shown) - value) < 1e-4 for shown, value in zip((precision, recall, f1), expected)),
                 f"the scores of class {name}", f"{(count, precision, recall, f1)} {expected}")
areas = dict(re.findall(r">(\d+) \(area ([0-9.]+)\)</text>", page.text))
checks.check(len(areas) == 8, "the legend of the ROC curves", str(areas))
for name, area in areas.items():
    scores, positive = probabilities[:, int(name)], target == int(name)
    wins = (scores[positive][:, None] > scores[~positive]).mean() + 0.5 * (scores[positive][:, None] == scores[~positive]).mean()
    checks.check(abs(float(area) - wins) < 1e-4, f"the area of class {name}", f"{area} {wins}")
for actual in range(10):
    for guess in range(10):
        count = numpy.sum((target == actual) & (predicted == guess))
        if f"class {actual}, predicted class {guess}: {count} (" not in page.text:
            checks.check(False, f"the confusion of {actual} and {guess}", str(count))

# Each picture as a file.
names = sorted(os.listdir("pictures"))
checks.check(len(names) == page.text.count('class="plot"') and {"history.svg", "importance.svg", "timeline.svg"} <= set(names),
             "a file for each picture", str(names))
for name in names:
    root = xml.etree.ElementTree.parse(os.path.join("pictures", name)).getroot()
    checks.check(root.tag == "{http://www.w3.org/2000/svg}svg" and root.find("{http://www.w3.org/2000/svg}style") is not None,
                 f"{name} is a complete SVG file")

# The trace.
def check_trace(path, iterations):
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    trained = [event for event in spans if event["cat"] != "job"]
    checks.check(len(trained) == iterations, "a span for each iteration", f"{len(trained)} of {iterations}")
    lanes = {}
    for span in spans:
        lanes.setdefault((span["pid"], span["tid"]), []).append((span["ts"], span["dur"]))
    for lane, times in lanes.items():
        times.sort()
        overlaps = [(a, b) for a, b in zip(times, times[1:]) if a[0] + a[1] > b[0]]
        checks.check(overlaps == [] and all(start >= 0 and length >= 0 for start, length in times),
                     f"spans of lane {lane} do not overlap", str(overlaps[:3]))
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    checks.check({(span["pid"], span["tid"]) for span in trained} == named, "lanes have names")
    return [span for span in spans if span["cat"] == "job"]


check_trace("trace.json", len(rows))

# Files that exist are kept, and files that cannot be written are errors.
before = os.stat("page.html").st_mtime_ns
checks.check("page.html" in report("run", "--html=page.html", code=1).stderr and
             os.stat("page.html").st_mtime_ns == before, "an existing page is kept")
kept = report("run", "--html=new.html", "--trace=new.json", "--pictures=pictures", code=1)
checks.check("already exists" in kept.stderr and not os.path.exists("new.html") and not os.path.exists("new.json"),
             "nothing is written beside pictures that exist", kept.stderr)
checks.check("the same file, 'new.out'" in report("run", "--html=new.out", "--trace=new.out", code=2).stderr and
             not os.path.exists("new.out"), "a page and a trace in one file")
report("run", "--html=page.html", "--overwrite")
checks.check(os.stat("page.html").st_mtime_ns > before, "an existing page is replaced")
for option in ("--html=missing/page.html", "--trace=missing/trace.json", "--pictures=page.html", "--html=empty"):
    checks.check(len(report("run", option, code=1).error_lines()) == 1, f"{option} cannot be written")
checks.check(report("run", "run", "--trace=other.json", code=2).stdout == "", "a trace shows one run")

# A run without a search, and one iteration.
for directory, count in (("plain", 5), ("one", 1)):
    shutil.rmtree(directory, ignore_errors=True)
    sheaf("run", DIGITS, f"--study.iterations={count}", "--train.epochs=2", "--run.curves=false", f"--run.output={directory}")
    report(directory, f"--html={directory}.html", "--overwrite")
    page = check_page(f"{directory}.html", directory)
    losses = sorted(float(row["validation_loss"]) for row in read_csv(f"{directory}/results.csv"))
    board = page.tables["board"]
    shown = [float(row[board[0].index("validation loss")]) for row in board[1:]]
    checks.check(numpy.allclose(shown, losses, rtol=1e-4) and "--run.curves=true stores them" in page.text,
                 f"the iterations of {directory}", f"{shown} {losses}")
    with open(f"{directory}/results.csv") as file:
        checks.check(report(directory, "--format=csv").stdout == file.read(), f"{directory} as CSV is its results.csv")

# Several runs.
report("run", "plain", "--html=both.html", "--overwrite")
page = check_page("both.html", "two runs")
checks.check([row[0] for row in page.tables["runs"][1:]] == ["run", "plain"], "the table of two runs", str(page.tables))
compared = printed_csv("run", "plain")
checks.check([row["run"] for row in compared] == ["run", "plain"] and float(compared[0]["best"]) > 0 and
             report("run", "plain").stdout.count("\n") == 3, "the comparison", str(compared))
checks.check([json.loads(line)["run"] for line in report("run", "plain", "--format=json").stdout.splitlines()] ==
             ["run", "plain"], "one JSON object per run")

# Odd names.
with open("odd.csv", "w") as file:
    file.write("x,y,kind\n")
    for row in range(300):
        kind = ("<b>&\"", "it's </script>", "ünïcode")[row % 3]
        file.write("{},{},\"{}\"\n".format(row % 3 + row / 400, row % 7, kind.replace('"', '""')))
shutil.rmtree("odd <b>&'", ignore_errors=True)
checks.check(sheaf("import", "odd.csv", "odd.h5", "--overwrite").code == 0 and
             sheaf("run", "odd.h5", "--study.name=<b>&\"<title>", "--train.epochs=2", "--search.method=grid", "--search.folds=2",
                   "--run.predictions=held_out", "--run.output=odd <b>&'").code == 0, "a run with odd names")
report("odd <b>&'", "--html=odd.html", "--trace=odd.json", "--overwrite")
page = check_page("odd.html", "odd names")
checks.check(page.tables["classes"][1:] and {row[0] for row in page.tables["classes"][1:]} == {"<b>&\"", "it's </script>", "ünïcode"},
             "odd names of classes", str(page.tables.get("classes")))
checks.check(page.text.count("</script>") == 1 and "<b>&" not in page.text and "<title>\"" not in page.text, "no name is markup")
repeat = json.loads(report("odd <b>&'", "--format=json").stdout)["repeat"]
checks.check("--run.output=odd <b>&'-best" in shlex.split(repeat), "the command quotes odd names", repeat)

# Regression, with a diverging trial.
with open("line.csv", "w") as file:
    file.write("a,b,price\n" + "".join(f"{row % 17},{row % 5},{2 * (row % 17) - row % 5 + (row % 3) / 10}\n" for row in range(400)))
shutil.rmtree("line", ignore_errors=True)
checks.check(sheaf("import", "line.csv", "line.h5", "--overwrite").code == 0 and
             sheaf("run", "line.h5", "--search.method=grid", "--search.folds=2", "--search.train.learning_rate=0.01,1e30",
                   "--train.optimizer=sgd", "--train.epochs=5", "--run.curves=true", "--run.output=line").code == 0,
             "a regression")
report("line", "--html=line.html", "--overwrite")
page = check_page("line.html", "a regression")
diverged = any(row["status"] == "diverged" for row in read_csv("line/results.csv"))
checks.check("Predicted and true values" in page.text and diverged and "diverged" in page.text, "a diverging trial",
             str(diverged))

# Failed and diverged iterations.
shutil.rmtree("mixed", ignore_errors=True)
sheaf("run", DIGITS, "--search.method=grid", "--search.folds=2", "--search.model.hidden=4, 1000000 1000000", "--train.loss=mse",
      "--search.train.learning_rate=1e-2, 1e30", "--train.optimizer=sgd", "--run.engine=native", "--train.epochs=2",
      "--run.output=mixed")
report("mixed", "--html=mixed.html", "--trace=mixed.json", "--overwrite")
page = check_page("mixed.html", "failed and diverged iterations")
statuses = [row["status"] for row in read_csv("mixed/results.csv")]
checks.check("out of memory" in page.text and f"<b>{statuses.count('failed')}</b><span>failed</span>" in page.text and
             f"<b>{statuses.count('diverged')}</b><span>diverged</span>" in page.text and "failed" in statuses,
             "failed iterations are counted", str(statuses))

# A killed run, then the same run resumed by a second job.
shutil.rmtree("killed", ignore_errors=True)
job = Started([SHEAF, "run", *SEARCH[:-1], "--train.epochs=300", "--run.output=killed"])
job.creep_until(lambda: complete_trials("killed") > 0)
found = json.loads(report("killed", "--format=json").stdout)
checks.check(found["state"] == "running" and found["iterations"]["finished"] >= 3, "a run under way", str(found)[:300])
os.kill(job.process.pid, signal.SIGKILL)
job.finish()
done, complete = len(set(journaled("killed"))), complete_trials("killed")
files = {path: os.stat(os.path.join("killed", path)).st_mtime_ns for path in os.listdir("killed")}
report("killed", "--html=killed.html", "--trace=killed.json", "--overwrite")
page = check_page("killed.html", "a killed run")
checks.check("sheaf resume killed" in page.text and "when the run is complete" in page.text and
             "The ensemble of the trials is selected when" in page.text and
             len(page.tables["board"]) == 1 + complete, "the page of a killed run", f"{complete} {page.tables['board']}")
checks.check({path: os.stat(os.path.join("killed", path)).st_mtime_ns for path in os.listdir("killed")} == files,
             "the directory is unchanged")
check_trace("killed.json", done)
checks.check(sheaf("resume", "killed").code == 0, "the run is resumed")
report("killed", "--trace=killed.json", "--html=killed.html", "--overwrite")
jobs = check_trace("killed.json", 18)
checks.check(len(jobs) == 2 and jobs[0]["ts"] + jobs[0]["dur"] < jobs[1]["ts"], "two jobs with a gap", str(jobs))
checks.check(">job 2</text>" in check_page("killed.html", "a resumed run").text, "the second job in the timeline")

found = json.loads(report("killed", "--format=json").stdout)
check_time(found, "a resumed run")
checks.check(found["time"]["unfinished"] > 0, "the work of the killed job is lost", str(found["time"]))

# A job that is killed before its first result, and the same run resumed from its checkpoints.
shutil.rmtree("late", ignore_errors=True)
job = Started([SHEAF, "run", DIGITS, "--study.iterations=2", "--train.epochs=100000", "--run.lanes=2", "--run.output=late",
               "--run.checkpoint_interval=1000"])
recorded = lambda: any("trained_seconds" in open(path).read() for path in glob.glob("late/journal/*/*.jsonl"))
checks.check(job.wait_for(recorded), "a job records its time before it has a result")
job.kill()
text = report("late").stdout
found = json.loads(report("late", "--format=json").stdout)
check_time(found, "a job without a result")
checks.check(found["time"]["unfinished"] == found["time"]["core_seconds"] >= 2 and "(100.0 %) are lost work" in text and
             "for the whole run;" in text, "all its work is lost", f"{found['time']} {text}")
report("late", "--html=late.html", "--overwrite")
page = check_page("late.html", "a job without a result")
checks.check("lost with killed jobs" in page.text and "are lost work" in page.text, "the page has the lost work")

# An iteration that two lines of the journals have. The first one counts.
shutil.rmtree("again", ignore_errors=True)
sheaf("run", DIGITS, "--study.iterations=3", "--train.epochs=2", "--run.output=again")
(path,) = glob.glob("again/journal/*/*.jsonl")
with open(path) as file:
    repeated = next(line for line in file if line.startswith('{"iteration"'))
with open(path, "a") as file:
    file.write(repeated)
found = json.loads(report("again", "--format=json").stdout)
check_time(found, "an iteration with two results")
checks.check(found["trained_twice"] == 1 and found["time"]["repeated"] > 0 and "trained again" in report("again").stdout,
             "an iteration with two results", str(found["time"]))

# A refit and an ensemble of trials. The search is that of "run": rankings and pictures of trials are the same.
def pictures_of_trials(directory, pictures):
    shutil.rmtree(pictures, ignore_errors=True)
    report(directory, f"--pictures={pictures}")
    contents = {}
    for name in ("curves", "folds", "importance", "confusion"):
        with open(f"{pictures}/{name}.svg") as picture:
            contents[name] = picture.read()
    return contents


shutil.rmtree("refit", ignore_errors=True)
checks.check(sheaf("run", *SEARCH, "--run.refit=true", "--search.ensemble=greedy", "--run.output=refit").code == 0, "a refit")
refits = [row for row in read_csv("refit/results.csv") if row["stage"] == "1"]
with open("refit/models/ensemble.json") as file:
    ensemble = json.load(file)
members = [member["trial"] for member in ensemble["members"]]
table = printed_csv("refit")
checks.check([int(row["trial"]) for row in table] == order and
             all(abs(float(row["mean_validation_loss"]) - means[int(row["trial"])]) < 1e-12 for row in table),
             "a refit is not a trial", str(table))
without = pictures_of_trials("run", "run_pictures")
for name, picture in pictures_of_trials("refit", "refit_pictures").items():
    checks.check(picture == without[name], f"the picture {name} does not have the refit")
found = json.loads(report("refit", "--format=json").stdout)
checks.check(len(found["ranked"]) == 6 and found["refit"]["rows"] == 1797 and
             [one["trial"] for one in found["refit"]["trials"]] == sorted({order[0], *members}) and
             [(one["trial"], one["weight"]) for one in found["ensemble"]["weights"]] ==
             [(one["trial"], one["weight"]) for one in ensemble["members"]] and
             found["ensemble"]["step_losses"] == ensemble["step_losses"], "refit and ensemble as JSON", str(found))
checks.check([command.split("--model=")[1] for command in found["predict"]] == ["ensemble", "refit", "best"] and
             json.loads(report("plain", "--format=json").stdout)["predict"] == [], "the kinds of models", str(found["predict"]))
for command in found["predict"]:
    args = [{"NEW.csv": DIGITS, "OUT.csv": "predicted.csv"}.get(word, word) for word in command.split()[1:]]
    result = sheaf(*args, "--overwrite")
    checks.check(result.code == 0, command, result.stderr)
report("refit", "--html=refit.html", "--trace=refit.json", "--overwrite")
page = check_page("refit.html", "a refit")
steps = next(row["steps"] for row in refits if int(row["trial"]) == order[0])
text = report("refit").stdout
checks.check(f"<p>Refit: trial {order[0]} for {steps} steps (" in page.text and "), on all 1797 rows" in page.text and
             "Refit: the best trial was trained again on all 1797 rows" in text, "the verdict has the refit", text)
board = page.tables["board"]
checks.check([int(row[1]) for row in board[1:]] == order, "the leaderboard has no refit", str(board))
checks.check([int(row[0]) for row in page.tables["members"][1:]] == members and
             all(abs(float(row[1]) - member["weight"]) < 1e-4 and f"{member['loss']:.5g}" == row[2] and "(refit)" in row[4]
                 for row, member in zip(page.tables["members"][1:], ensemble["members"])), "the members of the ensemble",
             str(page.tables["members"]))
shown = [table for table in page.tables.values() if table[0][0] == "models"]
single = next(member for member in ensemble["members"] if member["trial"] == ensemble["best_member"])
checks.check(len(shown) == 1 and [row[1] for row in shown[0][1:]] == [f"{ensemble['loss']:.5g}", f"{single['loss']:.5g}"] and
             [row[2] for row in shown[0][1:]] == [f"{ensemble['score']:.4f}", f"{single['score']:.4f}"],
             "the ensemble beside its best member", str(shown))
growth = re.findall(r"<title>step (\d+): loss ([0-9.e-]+)<", page.text)
checks.check(len(growth) > 1 and all(f"{ensemble['step_losses'][int(step) - 1]:.5g}" == loss for step, loss in growth) and
             (len(growth) == len(ensemble["step_losses"]) or "far from the others" in page.text), "the growth of the ensemble",
             str(growth))
checks.check(page.text.count("<title>refit, iteration ") == len(refits) and ">refit</text>" in page.text,
             "the timeline has the refit")
jobs = check_trace("refit.json", 18 + len(refits))
with open("refit.json") as file:
    names = [event["name"] for event in json.load(file)["traceEvents"] if event.get("args", {}).get("refit")]
checks.check(sorted(names) == sorted(f"refit of trial {row['trial']}" for row in refits), "the trace has the refit", str(names))
seconds = []
for path in glob.glob("refit/journal/*/*.jsonl"):
    with open(path) as file:
        seconds += [json.loads(line)["trained_seconds"] for line in file if "trained_seconds" in line and "is_over" not in line]
checks.check(len(seconds) == len(jobs) == 1 and abs(jobs[0]["dur"] * 1e-6 - seconds[0]) < 1e-4,
             "the job has the seconds that it has recorded", f"{jobs} {seconds}")

# A refit without a search.
shutil.rmtree("plain-refit", ignore_errors=True)
sheaf("run", DIGITS, "--study.iterations=3", "--train.epochs=2", "--data.validation=0", "--run.refit=true", "--run.output=plain-refit")
report("plain-refit", "--html=plain.html", "--trace=plain.json", "--overwrite")
page = check_page("plain.html", "a refit without a search")
checks.check(len(page.tables["board"]) == 4 and "<p>Refit: the model for " in page.text, "the iterations without the refit",
             str(page.tables["board"]))
check_trace("plain.json", 4)
with open("plain-refit/results.csv") as file:
    checks.check(report("plain-refit", "--format=csv").stdout == file.read(), "the refit as CSV is in results.csv")

# An extended search, whose first trials have values outside its last lists and ranges.
shutil.rmtree("extended", ignore_errors=True)
sheaf("run", DIGITS, "--search.method=random", "--search.trials=8", "--search.model.hidden=8,16", "--train.epochs=2",
      "--search.train.learning_rate=log_uniform(1e-5, 1e-3)", "--search.train.batch_size=32, full",
      "--search.train.momentum=uniform(0, 0.5)", "--train.optimizer=sgd", "--search.data.normalize=none,standard",
      "--search.ensemble=none", "--run.output=extended")
checks.check(sheaf("resume", "extended", "--search.trials=20", "--search.model.hidden=32, 64",
                   "--search.train.learning_rate=log_uniform(1e-2, 1)", "--search.train.batch_size=integer(8, 16)",
                   "--search.train.momentum=log_uniform(0.6, 0.9)").code == 0, "an extended search")
report("extended", "--html=extended.html", "--overwrite")
page = check_page("extended.html", "an extended search")
found = json.loads(report("extended", "--format=json").stdout)
checks.check(abs(sum(found["importances"].values()) - 1) < 1e-9 and len(found["importances"]) == 5 and
             found["variance_shares"] == {}, "importances over all spaces", str(found["importances"]))
board = page.tables["board"]
values = {int(row[1]): row for row in board[1:]}
checks.check(sorted(values) == list(range(20)), "the leaderboard has the trials of all spaces", str(board))
for key in ("train.learning_rate", "train.batch_size", "train.momentum", "model.hidden", "data.normalize"):
    column = board[0].index(key)
    missing = [trial for trial, row in values.items()
               if f"<title>{key} = {row[column]}; trial {trial}," not in page.text]
    checks.check(missing == [], f"the slice of {key} has all trials", f"{missing} {values}")
checks.check("--search.ensemble=greedy selects one" in page.text, "a sentence instead of an ensemble")

# Result files that are damaged are left out, with a warning.
with open("killed/summary.json", "w") as file:
    file.write("{")
with open("killed/models/ensemble.json", "w") as file:
    file.write("{")
with open("killed/results.h5", "r+b") as file:
    file.truncate(1000)
damaged = report("killed", "--html=killed.html", "--overwrite")
checks.check(damaged.stderr.count("warning: ") >= 3 and "'killed/models/ensemble.json' is damaged" in report("killed").stdout,
             "damaged result files", damaged.stderr)
check_page("killed.html", "damaged result files")

# Ranks, and an ensemble whose ranking is that of the run.
shutil.rmtree("ensemble", ignore_errors=True)
sheaf("run", *SEARCH, "--ensemble.members=2", "--run.output=ensemble", ranks=2)
with h5py.File("ensemble/results.h5") as file:
    trials = [int(trial) for trial in file["trials"]["trial"]]
checks.check([int(row["trial"]) for row in printed_csv("ensemble")] == trials, "the ranking of ensembles")
report("ensemble", "--html=ensemble.html", "--trace=ensemble.json", "--overwrite")
check_page("ensemble.html", "an ensemble")
check_trace("ensemble.json", 36)
checks.check(sheaf("report", "run", ranks=2).stdout.count("What to do next") == 1, "two ranks print once")

# Streamed data, where a lane trains several models side by side.
shutil.rmtree("streamed", ignore_errors=True)
sheaf("run", *SEARCH, "--data.mode=streamed", "--run.lanes=2", "--run.output=streamed")
report("streamed", "--html=streamed.html", "--trace=streamed.json", "--overwrite")
page = check_page("streamed.html", "streamed data")
checks.check("The run has no ensemble of its trials (run.predictions = none)." in page.text, "the obstacle to an ensemble")
check_trace("streamed.json", 18)

sys.exit(checks.finish())
