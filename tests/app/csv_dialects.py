"""Draws CSV files in the dialects that programs and people write, with the table that each of them means. Imports them
and counts which were read right, which were refused, and which were read wrong.

    SHEAF=build/dev/sheaf python3 tests/app/csv_dialects.py --draw 500 --seed 1 [--folder DIR] [--show]

The truth of a file is its rows, columns and types, its numbers in double, its categories and its classes; or, for a
file with an error in it, the texts that a refusal must contain. A draw is unambiguous if people would agree on its
meaning from the file alone; only those count. `sample` returns the draws of the test csv_dialect_samples.py."""

import argparse
import datetime
import json
import os
import random
import re
import subprocess
import sys

import h5py
import numpy

NUMBER, TEXT, DATE, LEFT_OUT = "number", "text", "date", "left out"
MARKS = ["", "NA", "N/A", "NaN", "null", "None", "?", ".", "-", "#N/A", "<NA>", "#DIV/0!", "unknown", "n/a"]
BAD_CELLS = ["<1.0", "abc", "#REF!x", "1.2.3", "12 apples", "1O.5"]
CITIES = ["Oslo", "Rome", "Bern", "Lima", "Z\u00fcrich", "M\u00e1laga"]
CLASSES = ["setosa", "virginica", "versicolor", "yes", "no"]
LABEL_NAMES = ["y", "class", "target", "label", "outcome"]


class Column:
    """A column of the table. `texts`: as the file has them, before quoting. `values`: doubles, texts, or None for an
    empty cell."""

    def __init__(self, name, kind, texts, values, quote=False):
        self.name, self.kind, self.texts, self.values, self.quote = name, kind, texts, values, quote


class Draw:
    def __init__(self):
        self.content = b""
        self.arguments = []
        self.rows = 0
        self.features = []  # those that are features; left-out columns may also be refused by name
        self.label = None
        self.task = None
        self.classes = []
        self.refusals = []  # a refusal must contain one of these; empty: the file must be read
        self.may_refuse = []  # a refusal that contains one of these is right, too
        self.doubts = []
        self.traits = []


def grouped(value, separator, point, digits):
    whole, _, fraction = f"{abs(value):.{digits}f}".partition(".")
    parts = []
    while len(whole) > 3:
        parts.insert(0, whole[-3:])
        whole = whole[:-3]
    text = separator.join([whole] + parts)
    return ("-" if value < 0 else "") + text + (point + fraction if digits else "")


def float_text(value, point):
    return repr(value).replace(".", point)


def number_column(rng, rows, point):
    kind = rng.choice(["normal", "normal", "integer", "wide", "offset"])
    if kind == "integer":
        values = [rng.randrange(-50, 500) for _ in range(rows)]
        return [str(value) for value in values], [float(value) for value in values]
    center, spread = {"normal": (0, 1), "wide": (2, 1e4), "offset": (1.7e9, 5)}[kind]
    values = [round(rng.gauss(center, spread), rng.choice([3, 4, 6])) for _ in range(rows)]
    return [float_text(value, point) for value in values], values


def decorated_column(rng, rows, point, delimiter, draw):
    kind = rng.choice(["thousands", "percent", "currency", "currency", "quoted comma"])
    draw.traits.append(kind)
    comma = point == ","
    separator = "." if comma else ","
    if kind == "thousands":
        values = [float(rng.randrange(200, 3_000_000)) for _ in range(rows)]
        values[0], values[1] = 1234567.0, 950.0
        return [grouped(value, separator, point, 0) for value in values], values
    if kind == "percent":
        values = [round(rng.uniform(0, 100), 1) for _ in range(rows)]
        return [float_text(value, point) + "%" for value in values], values
    if kind == "currency":
        sign = rng.choice(["$", "\u20ac", "\u00a3"])
        values = [round(rng.uniform(100, 20000), 2) for _ in range(rows)]
        texts = [grouped(value, separator, point, 2) for value in values]
        before = rng.random() < 0.7
        return [sign + text if before else text + " " + sign for text in texts], values
    if point == ".":
        draw.may_refuse.append("has a decimal comma")  # other columns of the table may have points
    values = [round(rng.uniform(1, 99), rng.choice([1, 2])) for _ in range(rows)]
    return [float_text(value, ",") for value in values], values


def text_column(rng, rows):
    categories = rng.sample(CITIES, rng.randrange(2, 5))
    if rng.random() < 0.15:
        categories[0] = rng.choice(["a, b", 'say "no"', "two\nlines", "semi;colon"])
    values = [rng.choice(categories) for _ in range(rows)]
    return values, list(values)


def label_column(rng, rows, point, draw):
    """Returns texts, the task, and doubles or class texts."""
    kind = rng.choice(["text", "text", "text", "classes", "gaps", "float", "float", "codes", "whole"])
    draw.traits.append("label " + kind)
    if kind == "text":
        names = rng.sample(CLASSES, rng.randrange(2, 5))
        texts = [rng.choice(names) for _ in range(rows)]
        texts[0] = texts[rows // 2]
        return texts, "classification", texts
    if kind == "codes":
        names = rng.choice([["01", "02", "007"], ["1", "01", "2"]])
        texts = names + [rng.choice(names) for _ in range(rows - 3)]
        rng.shuffle(texts)
        return texts, "classification", texts
    if kind == "float":
        values = [round(rng.gauss(10, 20), 3) + 0.0005 for _ in range(rows)]
        values = [round(value, 4) for value in values]
        return [float_text(value, point) for value in values], "regression", values
    if kind == "whole":
        values = [float(rng.randrange(3)) for _ in range(rows)]
        return [float_text(value, point) for value in values], None, values
    numbers = [0, 1, 2] if kind == "classes" else [3, 7, 12]
    texts = [str(rng.choice(numbers)) for _ in range(rows)]
    return texts, "classification", texts


def identifier_column(rng, rows, draw):
    if rng.random() < 0.5:
        draw.traits.append("dates")
        form = rng.choice(["{y}-{m:02}-{d:02}", "{d}-May-{y}", "{d:02}.{m:02}.{y}", "{m}/{d}/{y}",
                           "{y}-{m:02}-{d:02} 10:{d:02}:00"])
        draw.may_refuse.append("date")
        dates = [{"y": rng.randrange(1990, 2026), "m": rng.randrange(1, 13), "d": rng.randrange(1, 29)}
                 for _ in range(rows)]
        values = [datetime.datetime(date["y"], date["m"], date["d"], 10 * ("10:" in form), date["d"] * ("10:" in form))
                  for date in dates]
        return LEFT_OUT if "May" in form else DATE, [form.format(**date) for date in dates], values
    draw.traits.append("identifiers")
    draw.may_refuse.append("identifier")
    texts = [f"P-{rng.randrange(10**6):06}x{row}" for row in range(rows)]
    return LEFT_OUT, texts, texts


def features_of(column):
    """The columns of a data file that come from a column of a table."""
    if column.kind == LEFT_OUT:
        return []
    if column.kind != DATE:
        return [column]
    dates = column.values
    parts = {"year": [date.year for date in dates], "month": [date.month for date in dates],
             "day": [date.day for date in dates], "weekday": [date.weekday() for date in dates],
             "days": [(date - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1) for date in dates]}
    return [Column(f"{column.name}.{part}", NUMBER, column.texts, values) for part, values in parts.items()]


def header_of(rng, draw, kind, features, label_name):
    count = len(features)
    if kind == "names":
        return [column.name for column in features], label_name
    if kind == "integers":
        return [str(index) for index in range(count)], str(count)
    first, step = (2001, 1) if kind == "years" else (round(rng.uniform(350, 900), 1), rng.choice([0.5, 2, 10]))
    return [str(first + step * index) for index in range(count)], label_name


def quoted(text, quote):
    return quote + text.replace(quote, quote * 2) + quote


def draw_table(rng, draw, point, delimiter):
    rows = draw.rows
    features = []
    only_text = rng.random() < 0.1
    for index in range(rng.randrange(2, 6)):
        name = rng.choice(["a", "x", "size", "temp", "v_"]) + str(index)
        pick = rng.random()
        if not only_text and pick > 0.96:
            values = [rng.choice(["True", "False"]) for _ in range(rows)]
            features.append(Column(name, TEXT, values, list(values)))
        elif only_text or pick > 0.85:
            features.append(Column(name, TEXT, *text_column(rng, rows)))
        elif pick > 0.72:
            features.append(Column(name, NUMBER, *decorated_column(rng, rows, point, delimiter, draw)))
        elif pick > 0.67 and index > 0:
            features.append(Column(name, *identifier_column(rng, rows, draw)))
        else:
            features.append(Column(name, NUMBER, *number_column(rng, rows, point)))
    texts, draw.task, values = label_column(rng, rows, point, draw)
    kind = TEXT if draw.task == "classification" else NUMBER
    return features, Column(rng.choice(LABEL_NAMES), kind, texts, values)


def add_marks(rng, draw, features, first_row):
    """Empties cells of columns of numbers; in `first_row` only if that must not look like a header."""
    mark = rng.choice(MARKS)
    draw.traits.append(f"mark {mark!r}")
    numbers = [column for column in features if column.kind == NUMBER]
    if not numbers:
        return
    for column in rng.sample(numbers, rng.randrange(1, min(2, len(numbers)) + 1)):
        for row in rng.sample(range(draw.rows), max(1, draw.rows // 10)):
            column.texts[row], column.values[row] = mark, None
    if first_row and len(numbers) > 1:
        column = rng.choice(numbers)
        column.texts[0], column.values[0] = mark, None


def draw_file(seed):
    rng = random.Random(f"csv {seed}")
    draw = Draw()
    draw.rows = rng.randrange(30, 120)
    delimiter = rng.choice([",", ",", ",", ";", "\t", "|", " "])
    point = "," if delimiter in ";\t" and rng.random() < 0.4 else "."
    draw.traits += [f"delimiter {delimiter!r}", f"point {point!r}"]
    features, label = draw_table(rng, draw, point, delimiter)

    header_kind = rng.choice(["names", "names", "names", "names", "integers", "spectrum", "years", "none"])
    draw.traits.append("header " + header_kind)
    names, label_name = header_of(rng, draw, header_kind, features, label.name)
    if header_kind != "names":
        if any(column.kind in (DATE, LEFT_OUT) for column in features):
            features = [column for column in features if column.kind not in (DATE, LEFT_OUT)]
            names = names[:len(features)]
            label_name = str(len(features)) if header_kind == "integers" else label_name
    if len(features) < 2:
        features.append(Column("extra", NUMBER, *number_column(rng, draw.rows, point)))
        names, label_name = header_of(rng, draw, header_kind, features, label.name)
    if header_kind in ("integers", "spectrum", "years"):
        if label_name in label.texts:
            draw.doubts.append("the label's name is also a label")
        if header_kind != "integers" and draw.task != "classification":
            draw.doubts.append("rising numbers beside a regression")
        if any(column.kind == TEXT for column in features):
            draw.doubts.append("numbers as names of texts")
    if header_kind == "none":
        for column in features + [label]:
            if column.kind == TEXT and column.texts.count(column.texts[0]) == 1:
                draw.doubts.append("a text of the first row does not occur again")
        names = label_name = None

    plain_header = header_kind in ("names", "none")
    if rng.random() < 0.3:
        add_marks(rng, draw, features, first_row=header_kind == "none" or rng.random() < 0.3)
    if header_kind == "none" and all(column.kind == TEXT or not is_plain_number(column.texts[0], point)
                                     for column in features) and any(column.kind == NUMBER for column in features):
        draw.doubts.append("no number in the first row")

    # The lines, each a list of cells that are quoted already.
    quote_all = rng.random() < 0.15
    if quote_all:
        draw.traits.append("all quoted")

    def cell(text, force=False):
        is_mixed = delimiter == " " and (not text or "," in text or ";" in text)
        special = delimiter in text or '"' in text or "\n" in text or force or is_mixed
        return quoted(text, '"') if special or quote_all else text

    label_first = header_kind != "integers" and rng.random() < 0.15
    order = [label] + features if label_first else features + [label]
    texts_of_header = None
    if names is not None:
        texts_of_header = [label_name] + names if label_first else names + [label_name]
    if label_first:
        draw.traits.append("label first")
        draw.arguments.append("--label=" + (label_name if header_kind == "names" else "0"))
        if header_kind == "none" and draw.task != "classification":
            pass
    for position, column in enumerate(features):
        column.name = names[position] if names is not None else None
    header = None if texts_of_header is None else [cell(text) for text in texts_of_header]
    body = [[cell(column.texts[row]) for column in order] for row in range(draw.rows)]

    # Index columns.
    index_kind = "none"
    if header is not None and rng.random() < 0.35:
        index_kind = rng.choice(["pandas", "twice", "thrice", "unnamed", "R", "R csv"])
        if index_kind == "R" and header_kind != "names":
            index_kind = "pandas"
    if index_kind != "none":
        draw.traits.append("index " + index_kind)
        if label_first:
            label_first = False
            draw.arguments = ["--label=" + (label_name if header_kind == "names" else "-1")]
            order = features + [label]
            header = header[1:] + header[:1]
            body = [line[1:] + line[:1] for line in body]
        tops = {"pandas": [""], "twice": ["", "Unnamed: 0"], "thrice": ["", "Unnamed: 0.1", "Unnamed: 0"],
                "unnamed": ["Unnamed: 0"], "R": [], "R csv": ['""']}[index_kind]
        count = max(1, len(tops))
        form = '"{}"' if index_kind.startswith("R") else "{}"
        first = 1 if index_kind.startswith("R") else 0
        header = [quoted(top, '"') if delimiter in top else top for top in tops] + header
        body = [[form.format(first + row)] * count + line for row, line in enumerate(body)]

    # Separators at the ends of lines.
    trailing = rng.random()
    trailing = "all" if trailing < 0.06 else "rows" if trailing < 0.1 and index_kind != "R" else "none"
    if delimiter == " ":
        trailing = "none"
    if trailing != "none":
        draw.traits.append("separators at line ends: " + trailing)
        body = [line + [""] for line in body]
        if trailing == "all" and header is not None:
            header = header + [""]

    # Lines above and between.
    above, below = [], []
    if rng.random() < 0.12:
        draw.traits.append("comments")
        above += ["# made by tool 1.2", f"# date 2026{delimiter} version 3", "#"][:rng.randrange(1, 4)]
        has_plain_names = header_kind == "names" and index_kind == "none" and not label_first
        if has_plain_names and rng.random() < 0.3:
            draw.traits.append("header in a comment")
            above.append("# " + delimiter.join(header))
            header = None
    elif header_kind == "names" and rng.random() < 0.06:
        draw.traits.append("title")
        titles = [["Measurements"], ["Table"], ["Operator" + delimiter + "Smith", "Site" + delimiter + "Bern"]]
        above += rng.choice(titles if len(order) > 3 or index_kind != "none" else titles[:2]) + [""] * rng.randrange(2)
    elif rng.random() < 0.04:
        draw.traits.append("sep=")
        above += ["sep=" + delimiter]
    may_have_units = header is not None and header_kind == "names" and index_kind == "none" and trailing == "none"
    if may_have_units and rng.random() < 0.08:
        if any(column.kind == NUMBER for column in features):
            draw.traits.append("units")
            units = {NUMBER: ["mm", "kg", "m/s", "(C)"], TEXT: ["", "-"], DATE: ["", "-"], LEFT_OUT: ["", "-"]}
            below += [delimiter.join(rng.choice(units[column.kind] if column is not label else ["", "-"])
                                     for column in order)]

    # Errors.
    lines_before = len(above) + (header is not None) + len(below)
    row_of_line = []
    text_lines = [delimiter.join(line) for line in body]
    error = rng.random()
    numbers = [index for index, column in enumerate(order) if column.kind == NUMBER]
    bad_row = None
    if error < 0.07 and numbers and plain_header:
        draw.traits.append("bad cell")
        bad_row = rng.randrange(1, draw.rows) if header_kind == "none" else rng.randrange(draw.rows)
        column = len(body[0]) - len(order) - (trailing != "none") + rng.choice(numbers)
        line = body[bad_row]
        line[column] = rng.choice(BAD_CELLS)
        text_lines[bad_row] = delimiter.join(line)
        if bad_row == 0 and sum(order[index].kind == NUMBER for index in numbers) == 1:
            draw.may_refuse.append("line 2")
    elif error < 0.11:
        draw.traits.append("ragged")
        bad_row = rng.randrange(5, draw.rows)
        text_lines[bad_row] += delimiter + "7" if rng.random() < 0.5 or len(order) < 3 else ""
        if not text_lines[bad_row].endswith(delimiter + "7"):
            text_lines[bad_row] = delimiter.join(body[bad_row][:-2])
    elif error < 0.13 and header is not None and numbers and header_kind == "names":
        draw.traits.append("header repeated")
        bad_row = rng.randrange(5, draw.rows)
        text_lines[bad_row] = delimiter.join(header) + (delimiter if trailing == "rows" else "")
        if index_kind == "R":
            draw.may_refuse.append("ine ")
    if trailing == "none" and rng.random() < 0.08:
        draw.traits.append("blanks")
        text_lines = [line if "\n" in line else line.replace(delimiter, delimiter + " ")
                      if delimiter not in "\t " and '"' not in line else line for line in text_lines]
    lines = above + ([delimiter.join(header)] if header is not None else []) + below
    blank = rng.random() < 0.06
    for row, line in enumerate(text_lines):
        if row == bad_row:
            at = 1 + sum(text.count("\n") + 1 for text in lines)
            draw.refusals = [f"line {at} ", f"Line {at} ", f"line {at},"]
        lines.append(line)
        if row == draw.rows - 1 and not draw.refusals and delimiter != " " and rng.random() < 0.05:
            draw.traits.append("empty rows at the end")
            lines += [delimiter * (len(body[0]) - 1)] * 2
        if blank and row % 7 == 3:
            lines.append("")
    if blank:
        draw.traits.append("blank lines")
    ends = rng.choice(["\n", "\n", "\r\n", "\r"])
    text = "\n".join(lines) + ("\n" if rng.random() < 0.9 else "")
    if ends != "\n":  # as Excel does, line ends inside quotes are \n
        parts = re.split(r'("(?:[^"]|"")*")', text)
        text = "".join(part if part.startswith('"') else part.replace("\n", ends) for part in parts)
    draw.traits.append(f"line ends {ends!r}")
    encoding = rng.choice(["utf-8"] * 4 + ["utf-8-sig", "utf-16-le", "utf-16-be", "latin-1"])
    if encoding == "latin-1" and "\u20ac" in text:
        encoding = "utf-8"
    draw.traits.append(encoding)
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    draw.content = mark + text.encode(encoding)

    draw.features = [feature for column in features for feature in features_of(column)]
    draw.label = label
    draw.classes = sorted(set(label.texts)) if draw.task == "classification" else []
    return draw


def is_plain_number(text, point):
    try:
        float(text.replace(point, "."))
    except ValueError:
        return False
    return True


# ---- Reading back


def stored_columns(file):
    """The columns of a data file: pairs of name and values, doubles or texts, None for an empty cell."""
    data = file["features"]
    array = data[:].astype("f8")
    attributes = data.attrs
    if "columns" in attributes:
        described = json.loads(as_text(attributes["columns"]))
    else:
        names = [as_text(name) for name in attributes.get("feature_names", [])] or [None] * array.shape[1]
        described = [{"name": name} for name in names]
    is_one_hot = isinstance(described, list)  # version 0.7
    described = described if is_one_hot else described["columns"]
    columns, at = [], 0
    for column in described:
        categories = column.get("categories", [])
        if not categories:
            values = [None if numpy.isnan(value) else value + column.get("offset", 0.0) for value in array[:, at]]
            at += 1
        elif is_one_hot:
            part = array[:, at:at + len(categories)]
            values = [categories[int(numpy.argmax(row))] if row.any() else None for row in part]
            at += len(categories)
        else:
            values = [categories[int(code)] if code >= 0 else None for code in array[:, at]]
            at += 1
        columns.append((column["name"] or None, values))
    return columns


def as_text(value):
    if isinstance(value, numpy.ndarray):
        value = value.flat[0]
    return value.decode() if isinstance(value, bytes) else str(value)


def same_numbers(found, wanted):
    """Whether the numbers are equal to the precision of float32, of the differences if these are small."""
    present = [value for value in wanted if value is not None]
    if [value is None for value in found] != [value is None for value in wanted]:
        return False
    center = float(numpy.median(present))
    spread = max(present) - min(present)
    size = max(abs(value) for value in present)
    bound = 2.0**-22 * (spread if spread > 0 and abs(center) > 1000 * spread else size)
    return all(value is None or abs(value - other) <= bound for value, other in zip(found, wanted))


def problem_of(draw, path):
    """The first difference between the data file and the truth, or an empty text."""
    if draw.refusals:
        return "a file with an error was read"
    with h5py.File(path) as file:
        found = stored_columns(file)
        rows = file["features"].shape[0]
        if rows != draw.rows:
            return f"{rows} rows instead of {draw.rows}"
        if len(found) != len(draw.features):
            return f"columns {[name for name, _ in found]} instead of {[column.name for column in draw.features]}"
        for (name, values), column in zip(found, draw.features):
            if (name or None) != column.name:
                return f"column {name!r} instead of {column.name!r}"
            is_text = any(isinstance(value, str) for value in values)
            if is_text != (column.kind == TEXT):
                return f"column {name!r} is {'text' if is_text else 'a number'}"
            if is_text and values != column.values:
                return f"texts of column {name!r}"
            if not is_text and not same_numbers(values, column.values):
                return f"numbers of column {name!r}"
        targets = file["targets"]
        values = targets[:]
        names = [as_text(name) for name in targets.attrs.get("class_names", [])]
        if draw.task == "classification":
            if not names:
                return "the label is a number"
            if [names[int(value)] for value in values] != draw.label.texts:
                return f"labels, with the classes {names}"
        elif names and draw.task is None:
            if [float(names[int(value)].replace(",", ".")) for value in values] != draw.label.values:
                return f"labels, with the classes {names}"
        elif names:
            return f"{len(names)} classes for a number"
        else:
            offset = targets.attrs.get("offset", 0.0)
            if not same_numbers(list(values.astype("f8") + offset), draw.label.values):
                return "numbers of the target"
    return ""


def evaluate(draw, program, folder, name):
    """Imports the draw. Returns "right", "refused" or "WRONG", and the reason."""
    source, output = os.path.join(folder, name + ".csv"), os.path.join(folder, name + ".h5")
    with open(source, "wb") as file:
        file.write(draw.content)
    if os.path.exists(output):
        os.remove(output)
    done = subprocess.run([program, "import", source, output, *draw.arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode == 0:
        problem = problem_of(draw, output)
        os.remove(output)
        log = done.stderr + done.stdout
        return ("WRONG", problem + "\n" + log) if problem else ("right", log)
    message = done.stderr.strip()
    expected = draw.refusals + draw.may_refuse
    return ("right" if any(text in message for text in expected) else "refused"), message


def sample(count=50, seed=1):
    """The first unambiguous draws from `seed` on, with their seeds."""
    drawn = []
    while len(drawn) < count:
        draw = draw_file(seed)
        if not draw.doubts:
            drawn.append((seed, draw))
        seed += 1
    return drawn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draw", type=int, default=500, help="number of unambiguous files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="csv-dialects")
    parser.add_argument("--show", action="store_true", help="print all files that were not read right")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    counts = {"right": 0, "refused": 0, "WRONG": 0}
    for seed, draw in sample(arguments.draw, arguments.seed):
        verdict, reason = evaluate(draw, os.environ["SHEAF"], arguments.folder, f"draw-{seed}")
        counts[verdict] += 1
        if verdict == "right":
            os.remove(os.path.join(arguments.folder, f"draw-{seed}.csv"))
        elif arguments.show:
            print(f"{seed}: {verdict}: {', '.join(draw.traits)}\n    {reason.strip()}\n    expected: "
                  f"{draw.refusals or f'{draw.rows} rows'}")
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return counts["WRONG"] > 0


if __name__ == "__main__":
    sys.exit(main())
