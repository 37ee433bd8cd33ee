"""A headless Chromium, driven over a pipe by the DevTools protocol."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60


def find():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A page of the browser; `problems` has what it said went wrong, and requests to anywhere
    else."""

    def __init__(self, width=1400, height=1000):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.out = os.pipe()
        self.answers, answers = os.pipe()
        self.child = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--disable-sync", "--hide-scrollbars",
             f"--window-size={width},{height}", f"--user-data-dir={self.folder.name}", "--remote-debugging-pipe"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            env={**os.environ, "HOME": self.folder.name},
            preexec_fn=lambda: (os.dup2(commands, 200), os.dup2(answers, 201), os.dup2(200, 3), os.dup2(201, 4)))
        os.close(commands)
        os.close(answers)
        self.number, self.buffer, self.events, self.problems, self.session = 0, b"", [], [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.child.kill()
        self.child.wait()
        os.close(self.out)
        os.close(self.answers)
        self.folder.cleanup()

    def receive(self, until):
        while b"\0" not in self.buffer:
            ready = select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]
            part = os.read(self.answers, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("the browser does not answer")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith("file:"):
            self.problems.append("request to " + parameters["request"]["url"])
        self.events.append(method)

    def call(self, command, **parameters):
        self.number += 1
        message = {"id": self.number, "method": command, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{command}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path, fragment=""):
        """Loads a page, and waits for it; the number makes it another one than that before."""
        self.events.clear()
        self.call("Page.navigate", url=f"{pathlib.Path(path).resolve().as_uri()}?{self.number}{fragment}")
        until = time.monotonic() + SECONDS
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive(until))

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def click(self, selector):
        """Presses and releases the mouse in the middle of an element."""
        x, y = self.run(f"""(() => {{ const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "nearest"}});
            const box = element.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, key):
        """Presses a key by its name."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
