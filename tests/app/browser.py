"""Chromium without a window, controlled through the DevTools protocol over a pair of pipes."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_browser():
    """The path of Chromium; None without one."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page. `events`: all messages of the page that are not answers, in their order."""

    def __init__(self, program, seconds=60):
        self.seconds, self.events, self.last, self.rest, self.session = seconds, [], 0, b"", None
        self.profile = tempfile.mkdtemp(prefix="browser-")
        (from_test, self.to_browser), (self.from_browser, from_browser) = os.pipe(), os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                   "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.profile}"]
        self.process = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{from_test} 4>&{from_browser}', "sh", program, *options],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        pass_fds=(from_test, from_browser))
        os.close(from_test)
        os.close(from_browser)
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _receive(self, end):
        """The next message. Raises TimeoutError after the time `end`."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            read = os.read(self.from_browser, 1 << 16)
            if not read:
                raise RuntimeError("the browser has ended")
            self.rest += read
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + self.seconds
        while True:
            answer = self._receive(end)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, address):
        """Opens a page and waits until it is loaded."""
        self.call("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression):
        end = time.monotonic() + self.seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.02)

    def show(self, width, height, scheme="light", medium="screen"):
        """Sets the size of the window, the color scheme and the medium."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def click(self, selector):
        """Clicks into the middle of an element, as a mouse does."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center', inline: 'center'}})")
        x, y = self.evaluate(f"(function(box) {{ return [box.x + box.width / 2, box.y + box.height / 2]; }})"
                             f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def messages(self, *methods):
        """The parameters of the events with these names."""
        return [event["params"] for event in self.events if event["method"] in methods]
