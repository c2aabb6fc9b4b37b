"""Chromium without a window, driven over a pipe (Chrome DevTools Protocol)."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The program; None: there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. `messages`: what its console, its scripts and its policy have complained of."""

    def __init__(self, width=1280, height=900):
        self.profile = tempfile.TemporaryDirectory()
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        command = [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                   "--disable-extensions", "--disable-background-networking", f"--user-data-dir={self.profile.name}",
                   f"--window-size={width},{height}", "--remote-debugging-pipe", "about:blank"]

        def place_ends():
            # Away from 3 and 4 first, which either end may have.
            ends = [os.dup(to_browser), os.dup(from_browser)]
            high = [os.dup2(end, number) for end, number in zip(ends, (103, 104))]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(command, preexec_fn=place_ends, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.buffer = b""
        self.messages = []
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        for _ in range(50):  # what it has started may write for a moment
            try:
                self.profile.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self.read_end, 1 << 16)
            if not part:
                raise EOFError("Chromium has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.messages.append(values["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(str(values["args"]))
        elif method == "Log.entryAdded":
            self.messages.append(values["entry"]["text"])
        self.events.append(method)
        return message

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.write_end, json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            message = self.receive(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + 60
        while "Page.loadEventFired" not in self.events:
            self.receive(deadline)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["text"])
        return result["result"].get("value")

    def dark(self, is_dark):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def width(self, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def scripts(self, run):
        self.call("Emulation.setScriptExecutionDisabled", value=not run)

    def screenshot(self, path):
        """The whole page as PNG."""
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(image))
