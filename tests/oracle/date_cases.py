"""Computes the parts of dates with pandas or, outside the years 1678 to 2261, with Python's datetime.

    python3 date_cases.py CASES.txt            # writes the file
    python3 date_cases.py CASES.txt --check    # compares its values with the installed pandas

unit_data_import compares the values with those of Sheaf, so that the test needs no pandas.

SPDX-License-Identifier: MIT
"""
import datetime
import random
import sys

import oracle

try:
    import pandas
except ImportError:
    oracle.skip("there is no pandas")

FORMATS = {"y-m-d": "{y:04}-{m:02}-{d:02}", "y/m/d": "{y:04}/{m:02}/{d:02}", "d.m.y": "{d:02}.{m:02}.{y:04}",
           "d/m/y": "{d}/{m}/{y:04}", "m/d/y": "{m}/{d}/{y:04}"}
DIRECTIVES = {"y-m-d": "%Y-%m-%d", "y/m/d": "%Y/%m/%d", "d.m.y": "%d.%m.%Y", "d/m/y": "%d/%m/%Y", "m/d/y": "%m/%d/%Y"}
TIMES = [("", ""), (" {h:02}:{n:02}", " %H:%M"), (" {h:02}:{n:02}:{s:02}", " %H:%M:%S"),
         ("T{h:02}:{n:02}:{s:02}", "T%H:%M:%S"), ("T{h:02}:{n:02}:{s:02}.{f:06}", "T%H:%M:%S.%f")]
ZONES = ["Z", "+00:00", "+02:00", "-0330", "+14:00", "-12:00"]
DAYS = [(1, 1, 1), (4, 2, 29), (100, 2, 29), (1582, 10, 10), (1600, 2, 29), (1700, 2, 29), (1900, 2, 28), (1900, 2, 29),
        (1900, 3, 1), (1969, 12, 31), (1970, 1, 1), (1999, 12, 31), (2000, 2, 29), (2000, 3, 1), (2023, 2, 29),
        (2024, 2, 29), (2024, 4, 31), (2024, 13, 1), (2024, 12, 32), (2024, 0, 1), (2024, 1, 0), (2100, 2, 28),
        (2100, 2, 29), (2100, 3, 1), (2400, 2, 29), (9999, 12, 31)]


def parts(text, directives):
    """Year, month, day, weekday and days since 1970; None if the text is not a date."""
    try:
        date = datetime.datetime.strptime(text, directives)
    except ValueError:
        return None
    local = date.replace(tzinfo=None)
    if 1678 <= date.year <= 2261:
        found = pandas.to_datetime(pandas.Series([text]), format=directives)
        local = found.dt.tz_localize(None)
        utc = found.dt.tz_convert("UTC").dt.tz_localize(None) if date.tzinfo else found
        days = (utc - pandas.Timestamp("1970-01-01")) / pandas.Timedelta(days=1)
        return [int(part[0]) for part in (local.dt.year, local.dt.month, local.dt.day, local.dt.weekday)] + [days[0]]
    days = (local - (date.utcoffset() or datetime.timedelta()) - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
    return [local.year, local.month, local.day, local.weekday(), days]


def cases():
    """Yields names of formats, texts, and directives of strptime."""
    generator = random.Random(3)
    days = DAYS + [(generator.randrange(1, 10000), generator.randrange(1, 13), generator.randrange(1, 29))
                   for _ in range(30)]
    days += [(generator.randrange(1950, 2050), generator.randrange(1, 13), generator.randrange(1, 32)) for _ in range(60)]
    for number, (y, m, d) in enumerate(days):
        for name, form in FORMATS.items():
            time, directives = TIMES[number % len(TIMES)] if number >= len(DAYS) else TIMES[0]
            zone = generator.choice(ZONES) if name == "y-m-d" and time.startswith("T") else ""
            clock = {"h": generator.randrange(24), "n": generator.randrange(60), "s": generator.randrange(60),
                     "f": generator.randrange(10**6)}
            yield name, form.format(y=y, m=m, d=d) + time.format(**clock) + zone, DIRECTIVES[name] + directives + "%z" * bool(zone)


def text():
    lines = []
    for name, date, directives in cases():
        found = parts(date, directives)
        lines.append("\t".join([name, date, *map(repr, found or ["none"])]).replace("'none'", "none"))
    return "\n".join(lines) + "\n"


def main(path, *options):
    if options == ("--check",):
        with open(path) as file:
            stored = file.read().split("\n", 1)[1]
        differences = [lines for lines in zip(stored.splitlines(), text().splitlines()) if lines[0] != lines[1]]
        print("\n".join(map(str, differences)) or "all dates are those of pandas")
        return bool(differences)
    with open(path, "w") as file:
        file.write(f"# Written by date_cases.py with pandas {pandas.__version__}.\n{text()}")
    return False


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
