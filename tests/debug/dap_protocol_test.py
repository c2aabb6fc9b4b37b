"""`gcnjit debug --dap` with what is no protocol, no message, or no end."""
import json
import os
import subprocess
import sys
import unittest

from dap_client import Client

PROGRAM = os.environ["GCNJIT_PROGRAM"]


class ProtocolTest(unittest.TestCase):
    def served(self, text):
        """Exit code, what is sent, and what is said on stderr."""
        run = subprocess.run([PROGRAM, "debug", "--dap"], input=text, capture_output=True, timeout=60)
        return run.returncode, run.stdout, run.stderr.decode()

    def test_what_is_no_header(self):
        for text, words in ((b"Content-Length: x\r\n\r\n{}", "expected 'Content-Length: NUMBER'"),
                            (b"Content-Length: -5\r\n\r\n{}", "expected"), (b"Content-Length: 2x\r\n\r\n{}", "expected"),
                            (b"Content-Length: 99999999999\r\n\r\n", "67108864 at most"),
                            (b"X-Content-Length: 2\r\n\r\n{}", "expected"), (b"{}\r\n\r\n", "expected"),
                            (b"\r\n\r\n", "expected"), (b"{}", "it ends within a message"),
                            (b"Content-Length: 20\r\n\r\n{}", "it ends within a message")):
            with self.subTest(text):
                code, sent, said = self.served(text)
                self.assertEqual((code, sent), (2, b""))
                self.assertRegex(said, f"^gcnjit debug: the input is none of the Debug Adapter Protocol: .*{words}.*\n$")
        self.assertEqual(self.served(b""), (0, b"", ""))
        self.assertEqual(self.served(b"X: y\r\nContent-Length: 2\r\nZ: 5\r\n\r\n{}")[0::2], (0, ""))

    def test_what_is_no_message(self):
        good = b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"?"}}'
        for text in (b"{]", b"null", b"[1]", b"hello", good.replace(b"?", b"\xff"), good.replace(b'"?"', b"[" * 99 + b"]" * 99)):
            with self.subTest(text):
                both = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(one), one) for one in (text, good))
                code, sent, said = self.served(both)
                self.assertEqual((code, said.count("\n")), (0, 1))
                self.assertIn(f"gcnjit debug: a message of {len(text)} bytes is left out: it is no JSON", said)
                self.assertIn(b'"event":"output"', sent)
                self.assertIn(b'"request_seq":1', sent)

    def test_headers_and_values_that_do_not_end(self):
        """None of a client's; each ends quickly, and the next message counts where that is known."""
        depth = 1_000_000
        deep = "[" * depth + "]" * depth
        for place in ("arguments", "command", "seq", "type"):
            message = {"seq": 1, "type": "request", "command": "initialize", "arguments": {}}
            message.pop(place)
            client = Client(PROGRAM)
            text = f'{{"{place}": {deep}, {json.dumps(message)[1:]}'
            client.process.stdin.write(f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
            client.ask("initialize", adapterID="gcnjit")
            self.assertEqual(client.close(), 0)
        for text in (b"A" * 20_000_000, b"A: b\r\n" * 4_000_000):
            client = Client(PROGRAM)
            with self.assertRaises(BrokenPipeError):
                client.process.stdin.write(text)
                client.process.stdin.write(text)
            self.assertEqual(client.process.wait(timeout=20), 2)
            client.process.stdin.close()
            client.process.stdout.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
