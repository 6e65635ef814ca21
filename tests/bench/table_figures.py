"""The tables of a page and a picture of the figures that table_quality.py has measured.

    python3 table_figures.py FIGURES.csv PAGE.md [--check]

writes the tables between the two comments of PAGE.md that name the file of the figures, and FIGURES.svg: loss against processor
seconds. --check only looks whether both are those of the figures. FIGURES.csv has a line for each table and model; a model
that has not finished has no loss, and one whose processor time was not measured has none.

SPDX-License-Identifier: MIT
"""
import csv
import html
import math
import pathlib
import re
import sys
from typing import NamedTuple

# By model: the name in the tables, the name in the picture, the colour and the shape of its points.
MODELS = {
    "sheaf-2": ("2 s", "Sheaf, search of 2, 10 and 60 s", "sheaf", "circle"),
    "sheaf-10": ("10 s", None, "sheaf", "circle"),
    "sheaf-60": ("60 s", None, "sheaf", "circle"),
    "sheaf-networks": ("networks alone", "Sheaf, networks alone", "alone", "cross"),
    "lightgbm": ("LightGBM", "LightGBM", "lightgbm", "square"),
    "catboost": ("CatBoost", "CatBoost", "catboost", "diamond"),
    "realmlp": ("RealMLP", "RealMLP", "realmlp", "up"),
    "tabm": ("TabM", "TabM", "tabm", "down"),
}
SEARCHES, REFERENCES = ["sheaf-2", "sheaf-10", "sheaf-60"], ["lightgbm", "catboost"]
CORES = 2  # of the searches: the most processor seconds of those that were not measured
FIELDS = ["table", "training_rows", "columns", "model", "loss", "cpu_seconds"]


class Table(NamedTuple):
    rows: int
    columns: int
    results: dict  # by model: (loss, processor seconds), each a number or None


def read(path):
    """{name: Table} of a file of figures; empty without the file."""
    tables = {}
    if pathlib.Path(path).exists():
        with open(path, newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                table = tables.setdefault(line["table"], Table(int(line["training_rows"]), int(line["columns"]), {}))
                table.results[line["model"]] = tuple(float(line[key]) if line[key] else None
                                                     for key in ("loss", "cpu_seconds"))
    return tables


def enter(path, name, rows, columns, results):
    """Writes results of a table, {model: (loss, processor seconds)}, to a file of figures; those of other models stay."""
    tables = read(path)
    kept = tables[name].results if name in tables else {}
    tables[name] = Table(rows, columns, {**kept, **results})
    order = list(MODELS)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for table, (rows, columns, found) in sorted(tables.items()):
            for model in sorted(found, key=lambda model: (order.index(model) if model in order else len(order), model)):
                loss, seconds = found[model]
                writer.writerow([table, rows, columns, model, "" if loss is None else f"{loss:.5g}",
                                 "" if seconds is None else f"{seconds:.1f}"])


def best_reference(table):
    return min(table.results[model][0] for model in REFERENCES)


def loss_text(loss):
    return f"{loss:.4f}" if loss < 10 else f"{loss:.2f}"


def cell(table, model):
    if model not in table.results:
        return ""
    loss, seconds = table.results[model]
    if loss is None:
        return f"- ({seconds:.0f})"
    least = min(other for other, _ in table.results.values() if other is not None)
    text = f"**{loss_text(loss)}**" if loss == least else loss_text(loss)
    return text if seconds is None else f"{text} ({seconds:.1f})"


def markdown(lines):
    rows = [f"| {' | '.join(line)} |".replace("|  ", "| ") for line in lines]
    return "\n".join([rows[0], "|" + "---|" * len(lines[0]), *rows[1:]])


def page_tables(tables):
    """The losses, and their ratios to the better one of the references, as Markdown."""
    losses = [["table", "training rows x columns", *(MODELS[model][0] for model in MODELS)]]
    for name, table in tables.items():
        losses.append([name, f"{table.rows} x {table.columns}", *(cell(table, model) for model in MODELS)])
    ratios = [["ratio", *tables, "mean", "at most 1.02"]]
    for model in MODELS:
        found = {name: table.results[model][0] / best_reference(table) for name, table in tables.items()
                 if table.results.get(model, (None,))[0] is not None}
        if model in REFERENCES or not found:
            continue
        mean = math.exp(sum(map(math.log, found.values())) / len(found))
        ratios.append([MODELS[model][0], *(f"{found[name]:.3f}" if name in found else "" for name in tables), f"{mean:.3f}",
                       f"{sum(ratio <= 1.02 for ratio in found.values())} of {len(found)}"])
    return f"{markdown(losses)}\n\n{markdown(ratios)}"


STYLE = """
:root{--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--paper:#fff;--sheaf:#0072b2;--alone:#3f97cf;--lightgbm:#009e73;
--catboost:#d55e00;--realmlp:#b8578f;--tabm:#7a6c00}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#a4afba;--rule:#3a424c;--paper:#14181d;--sheaf:#56b4e9;
--alone:#8fd0f5;--lightgbm:#2bbf93;--catboost:#e8884a;--realmlp:#dd8fbd;--tabm:#f0e442}}
svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:12px}
.paper{fill:var(--paper)}.strong{fill:var(--ink);font-weight:600}.label{fill:var(--soft)}.small{fill:var(--soft);font-size:11px}
.grid{stroke:var(--rule);stroke-width:.7}.axis{stroke:var(--soft)}.end{text-anchor:end}.middle{text-anchor:middle}
.path{fill:none;stroke:var(--sheaf);stroke-width:1.6}
"""
STYLE += "".join(f".{name}{{fill:var(--{name});stroke:var(--{name});stroke-width:1.5}}"
                 for name in ("sheaf", "alone", "lightgbm", "catboost", "realmlp", "tabm"))
STYLE += ".sheaf.open{fill:var(--paper)}.alone{fill:none;stroke-width:2.4}\n"

PER_LINE, PANEL_WIDTH, PANEL_HEIGHT, LEGEND_LINE, FOOT = 3, 284, 176, 22, 26
LEFT, RIGHT, TOP, BOTTOM = 54, 18, 28, 24  # around the plot of a panel
FIRST_DECADE, LAST_DECADE = 0, 3  # of the processor seconds


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def text(x, y, content, classes):
    return f'<text x="{number(x)}" y="{number(y)}" class="{classes}">{html.escape(content)}</text>'


def point(shape, x, y, classes, hint):
    """A mark of about 9 pixels around a point; browsers show `hint` above it."""
    corners = {"square": [(-4, -4), (4, -4), (4, 4), (-4, 4)], "diamond": [(0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)],
               "up": [(0, -5), (5, 4), (-5, 4)], "down": [(0, 5), (5, -4), (-5, -4)]}
    if shape == "circle":
        drawn = f'<circle cx="{number(x)}" cy="{number(y)}" r="4.5"'
    elif shape == "cross":
        drawn = (f'<path d="M{number(x - 4)} {number(y - 4)}L{number(x + 4)} {number(y + 4)}'
                 f'M{number(x + 4)} {number(y - 4)}L{number(x - 4)} {number(y + 4)}"')
    else:
        drawn = '<path d="M' + "L".join(f"{number(x + dx)} {number(y + dy)}" for dx, dy in corners[shape]) + 'Z"'
    return f'{drawn} class="{classes}"><title>{html.escape(hint)}</title></{drawn[1:].split()[0]}>'


def steps(low, high):
    """Round numbers between two others with their texts, at least two and at most eight of them."""
    size = 10 ** math.floor(math.log10(high - low))
    step = next(size * part for part in (5, 2, 1, 0.5, 0.2) if (high - low) / (size * part) >= 3)
    first = math.ceil(low / step)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [(k * step, f"{k * step:.{decimals}f}") for k in range(first, math.floor(high / step) + 1)]


def panel(name, table, left, top):
    """The drawing of one table, whose upper left corner is given in pixels."""
    x0, x1, y0, y1 = left + LEFT, left + PANEL_WIDTH - RIGHT, top + PANEL_HEIGHT - BOTTOM, top + TOP
    finished = {model: result for model, result in table.results.items() if model in MODELS and result[0] is not None}
    losses = [loss for loss, _ in finished.values()]
    padding = 0.08 * (max(losses) - min(losses))
    low, high = min(losses) - padding, max(losses) + padding

    def x_of(seconds):
        decades = min(max(math.log10(seconds), FIRST_DECADE), LAST_DECADE) - FIRST_DECADE
        return x0 + (x1 - x0) * decades / (LAST_DECADE - FIRST_DECADE)

    def y_of(loss):
        return y0 + (y1 - y0) * (loss - low) / (high - low)

    drawn = [text(x0, top + 16, name, "strong")]
    missing = [MODELS[model][0] for model in table.results if model in MODELS and model not in finished]
    if missing:
        drawn.append(text(x1, top + 16, f"{', '.join(missing)}: not finished", "small end"))
    for loss, label in steps(low, high):
        drawn += [f'<path d="M{x0} {number(y_of(loss))}H{x1}" class="grid"/>',
                  text(x0 - 6, y_of(loss) + 4, label, "small end")]
    for decade in range(FIRST_DECADE, LAST_DECADE + 1):
        x = x_of(10 ** decade)
        drawn += [f'<path d="M{number(x)} {y0}V{y1}" class="grid"/>', text(x, y0 + 15, str(10 ** decade), "small middle")]
    drawn.append(f'<path d="M{x0} {y1}V{y0}H{x1}" fill="none" class="axis"/>')
    places = {}
    for model, (loss, seconds) in finished.items():
        is_measured = seconds is not None
        if not is_measured:
            seconds = CORES * float(model.removeprefix("sheaf-"))
        places[model] = x_of(seconds), y_of(loss), is_measured, f"{MODELS[model][0]}: {loss_text(loss)}, {seconds:.1f} s"
    line = [f"{number(places[model][0])} {number(places[model][1])}" for model in SEARCHES if model in places]
    drawn.append(f'<path d="M{"L".join(line)}" class="path"/>')
    for model in sorted(places, key=list(MODELS).index, reverse=True):
        x, y, is_measured, hint = places[model]
        _, _, colour, shape = MODELS[model]
        drawn.append(point(shape, x, y, colour if is_measured else f"{colour} open", hint))
    return drawn


def legend(width):
    """The names of the models above the panels, and the height that they take."""
    drawn, x, y = [], 16, 20
    for _, label, colour, shape in MODELS.values():
        if label is None:
            continue
        size = 40 + 6.5 * len(label)
        if x + size > width:
            x, y = 16, y + LEGEND_LINE
        drawn += [point(shape, x + 6, y - 4, colour, label), text(x + 16, y, label, "label")]
        x += size
    return drawn, y + LEGEND_LINE // 2


def picture(tables):
    width = PER_LINE * PANEL_WIDTH
    names, top = legend(width)
    height = top + math.ceil(len(tables) / PER_LINE) * PANEL_HEIGHT + FOOT
    title = "Loss on test rows against processor seconds"
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             f'role="img" aria-labelledby="title"><title id="title">{title}</title><style>{STYLE}</style>',
             f'<rect class="paper" width="{width}" height="{height}"/>', *names]
    for place, (name, table) in enumerate(tables.items()):
        drawn += panel(name, table, place % PER_LINE * PANEL_WIDTH, top + place // PER_LINE * PANEL_HEIGHT)
    drawn.append(text(width / 2, height - 10, f"{title}; less is better", "label middle"))
    return "\n".join([*drawn, "</svg>", ""])


def main():
    figures, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    tables = read(figures)
    before = page.read_text(encoding="utf-8")
    after, count = re.subn(rf"(<!-- {re.escape(figures.name)} -->\n).*?(<!-- end -->)",
                           lambda found: f"{found[1]}\n{page_tables(tables)}\n\n{found[2]}", before, flags=re.DOTALL)
    if not tables or count != 1:
        sys.exit(f"{figures} has {len(tables)} tables; {page} has {count} places for them")
    drawing = figures.with_suffix(".svg")
    if sys.argv[3:] != ["--check"]:
        page.write_text(after, encoding="utf-8")
        drawing.write_text(picture(tables), encoding="utf-8")
    elif after != before or drawing.read_text(encoding="utf-8") != picture(tables):
        sys.exit(f"{page} or {drawing} differs from {figures}. Run table_figures.py without --check.")


if __name__ == "__main__":
    main()
