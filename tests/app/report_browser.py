"""Pages of sheaf report in Chromium: they request nothing and have no script errors; tables sort and filter; pictures fit
narrow and wide windows and show all their texts, in light and dark; a PDF has all pictures. Skipped without Chromium.

The screenshots stay in the directory of the test."""

import base64
import functools
import http.server
import os
import re
import shutil
import sys
import threading

from browser import Browser, find_browser
from program import DIGITS, Checks, sheaf

if find_browser() is None:
    print("skipped: Chromium is not installed (package chromium)")
    sys.exit(77)

checks = Checks()
for name in ("run", "plain", "site"):
    shutil.rmtree(name, ignore_errors=True)
os.mkdir("site")
sheaf("run", DIGITS, "--run.curves=true", "--search.method=random", "--search.trials=14", "--search.folds=3",
      "--search.model.hidden=8,16,32 16", "--search.train.learning_rate=log_uniform(1e-3, 1e-1)",
      "--search.train.optimizer=adam,sgd", "--train.epochs=6", "--run.output=run")
sheaf("run", DIGITS, "--study.iterations=3", "--train.epochs=2", "--run.output=plain")
sheaf("report", "run", "--html=site/run.html")
sheaf("report", "run", "plain", "--html=site/both.html")

requested = []


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        requested.append(self.path)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory="site"))
threading.Thread(target=server.serve_forever, daemon=True).start()
ADDRESS = f"http://127.0.0.1:{server.server_address[1]}"

COLUMN = "Array.from(document.querySelectorAll('#board tbody tr')).filter(row => row.style.display !== 'none')" \
         ".map(row => row.cells[{}].textContent)"
# Texts of pictures that are not wholly inside.
CUT_TEXTS = """Array.from(document.querySelectorAll('svg.plot text')).filter(function(text) {
  var box = text.getBBox(), all = text.ownerSVGElement.viewBox.baseVal;
  return box.x < -1 || box.y < -1 || box.x + box.width > all.width + 1 || box.y + box.height > all.height + 1;
}).map(text => text.ownerSVGElement.querySelector('title').textContent + ': ' + text.textContent)"""
# Lines and points of pictures that are not wholly inside.
CUT_MARKS = """Array.from(document.querySelectorAll('svg.plot .line, svg.plot .dot, svg.plot .bar, svg.plot .span'))
.filter(function(mark) {
  var box = mark.getBBox(), all = mark.ownerSVGElement.viewBox.baseVal;
  return box.x < -5 || box.y < -5 || box.x + box.width > all.width + 5 || box.y + box.height > all.height + 5;
}).map(mark => mark.ownerSVGElement.querySelector('title').textContent)"""


def check_quiet(browser, page):
    """No request besides the page, and no error or warning."""
    addresses = [event["request"]["url"] for event in browser.messages("Network.requestWillBeSent")]
    checks.check(addresses == [f"{ADDRESS}/{page}"] and requested == [f"/{page}"], f"{page}: the page is the only request",
                 f"{addresses} {requested}")
    problems = browser.messages("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
    checks.check(problems == [], f"{page}: no errors", str(problems)[:1000])


def screenshot(browser, width, name):
    height = browser.evaluate("document.documentElement.scrollHeight")
    shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
    with open(name, "wb") as file:
        file.write(base64.b64decode(shot["data"]))


def check_windows(browser, page):
    """The page fits windows of phones and screens, and follows the color scheme."""
    grounds = {}
    for width in (360, 1200):
        for scheme in ("light", "dark"):
            browser.show(width, 900, scheme)
            checks.check(browser.evaluate("document.documentElement.scrollWidth") <= width, f"{page}: fits {width} pixels")
            grounds[scheme] = browser.evaluate("getComputedStyle(document.body).backgroundColor")
            screenshot(browser, width, f"{page}-{width}-{scheme}.png")
        cut = browser.evaluate(CUT_TEXTS) + browser.evaluate(CUT_MARKS)
        checks.check(cut == [], f"{page}: pictures show all their texts and marks", str(cut))
    checks.check(grounds["light"] != grounds["dark"], f"{page}: light and dark", str(grounds))


with Browser(find_browser()) as browser:
    browser.open(f"{ADDRESS}/run.html")

    # A click on a header sorts by that column, a second one the other way.
    heads = browser.evaluate("Array.from(document.querySelectorAll('#board th')).map(head => head.textContent)")
    for name in ("trial", "mean validation loss", "train.learning_rate", "train.optimizer"):
        column = heads.index(name)
        before = browser.evaluate(COLUMN.format(column))
        for reverse in (False, True):
            browser.click(f"#board th:nth-child({column + 1}) button")
            found = browser.evaluate(COLUMN.format(column))
            key = (lambda text: text) if name == "train.optimizer" else float
            checks.check(found == sorted(before, key=key, reverse=reverse) and len(found) == 14,
                         f"sorted by {name}, {'descending' if reverse else 'ascending'}", str(found))
    # The filter shows the rows that have all words.
    browser.click(".filter input")
    browser.call("Input.insertText", text="sgd 32")
    shown = browser.evaluate(COLUMN.format(heads.index("train.optimizer")))
    hidden = browser.evaluate(COLUMN.format(heads.index("model.hidden")))
    checks.check(0 < len(shown) < 14 and set(shown) == {"sgd"} and set(hidden) == {"32 16"}, "filtered rows", f"{shown} {hidden}")
    # The text of a mark under the pointer.
    browser.click("svg.plot .dot")
    checks.check("trial" in browser.evaluate("document.getElementById('tip').textContent"), "the text of a mark")
    check_quiet(browser, "run.html")
    check_windows(browser, "run.html")

    # The printed page has all pictures, although rows are hidden and the screen is dark.
    browser.show(1200, 900, "dark", "print")
    pictures = browser.evaluate("Array.from(document.querySelectorAll('svg.plot')).map(svg => svg.querySelector('title').textContent)")
    printed = base64.b64decode(browser.call("Page.printToPDF", generateTaggedPDF=True)["data"])
    figures = [text.decode("latin-1") for text in re.findall(rb"/S /Figure\s+/Alt \(((?:[^()\\]|\\.)*)", printed)]
    missing = [title for title in pictures if not any(figure.startswith(title) for figure in figures)]
    checks.check(len(pictures) >= 14 and printed.startswith(b"%PDF") and missing == [], "the PDF has all pictures",
                 f"{missing} {figures}")
    browser.show(700, 900, "dark", "print")
    checks.check(browser.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)", "paper is light")
    checks.check(browser.evaluate("Array.from(document.querySelectorAll('svg.plot')).every("
                                  "svg => svg.getBoundingClientRect().right <= innerWidth + 1)"), "pictures fit paper")

requested.clear()
with Browser(find_browser()) as browser:
    browser.open(f"{ADDRESS}/both.html")
    check_quiet(browser, "both.html")
    check_windows(browser, "both.html")

server.shutdown()
sys.exit(checks.finish())
