"""A client of the Debug Adapter Protocol, for tests: one request after another."""
import json
import select
import subprocess
import time


class Refused(Exception):
    """The adapter has answered that it will not."""


class Client:
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, "debug", "--dap", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0)
        self.buffer = b""
        self.sequence = 0
        self.adapter_sequence = 0
        self.events = []

    def close(self):
        """Returns the exit code."""
        self.process.stdin.close()
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code

    def send(self, command, **arguments):
        self.sequence += 1
        message = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments})
        self.process.stdin.write(f"Content-Length: {len(message)}\r\n\r\n{message}".encode())
        return self.sequence

    def _read_more(self, deadline):
        ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError("the adapter says nothing")
        some = self.process.stdout.read(65536)
        if not some:
            raise EOFError("the adapter has ended")
        self.buffer += some

    def read(self, timeout=60):
        deadline = time.monotonic() + timeout
        while b"\r\n\r\n" not in self.buffer:
            self._read_more(deadline)
        header, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        name, length = header.decode().split(":")
        assert name == "Content-Length", header
        while len(self.buffer) < int(length):
            self._read_more(deadline)
        message, self.buffer = json.loads(self.buffer[:int(length)]), self.buffer[int(length):]
        # The adapter counts its messages.
        assert message["seq"] == self.adapter_sequence + 1, message
        self.adapter_sequence = message["seq"]
        return message

    def answer(self, sequence):
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
                continue
            assert message["type"] == "response" and message["request_seq"] == sequence, message
            if not message["success"]:
                raise Refused(message["message"])
            return message["body"]

    def ask(self, command, **arguments):
        """The body of the response."""
        return self.answer(self.send(command, **arguments))

    def event(self, name):
        """The body of the next event of that name."""
        while True:
            for number, event in enumerate(self.events):
                if event["event"] == name:
                    del self.events[number]
                    return event["body"]
            message = self.read()
            assert message["type"] == "event", message
            self.events.append(message)

    def move(self, command, **arguments):
        """A request after which the run moves: where and why it stops."""
        self.ask(command, **arguments)
        return self.event("stopped")
