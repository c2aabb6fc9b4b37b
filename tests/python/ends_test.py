"""Python ends while threads of it load, launch or print: the process ends as if they were not there."""
import subprocess
import sys
import unittest

from support import SOURCES

THREADS = 3
WORK = {
    "launch": 'run("kernels-gfx906.co", "add_one", np.zeros(64000, np.uint32), grid=64000)',
    "print": 'run("printing.hipfb", "say", np.uint32(3), grid=64, print=lambda text: time.sleep(0.001))',
    "load": 'gcnjit.load(path("lines-gfx906.co"))',
    "report": """
        try: run("lines-gfx906.co", "stray", np.zeros(128, np.uint32), grid=128)
        except gcnjit.Fault: pass""",
}


class EndsTest(unittest.TestCase):
    def test_threads_at_work(self):
        for name, work in WORK.items():
            for attempt in range(3):
                with self.subTest(name, attempt=attempt):
                    done = subprocess.run([sys.executable, "-c", f"""
import threading, time
import numpy as np
import gcnjit
from support import path
programs = {{name: gcnjit.load(path(name)) for name in ("kernels-gfx906.co", "lines-gfx906.co", "printing.hipfb")}}
def run(program, kernel, *arguments, **options):
    programs[program].kernels[kernel](*arguments, **options)
def work():
    while True:
        {work}
for _ in range({THREADS}):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1 + {attempt} * 0.0137)
"""], capture_output=True, text=True, cwd=SOURCES, timeout=60)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_launches_of_what_goes_last(self):
        done = subprocess.run([sys.executable, "-c", """
import atexit, os
import numpy as np
import gcnjit
from support import path
def launch(word, kernel=gcnjit.load(path("printing.hipfb")).kernels["say"]):
    kernel(np.uint32(1), grid=64, print=lambda text: None)
    os.write(1, word)
class Last:
    def __del__(self, launch=launch, os=os):
        launch(b"deleted")
atexit.register(launch, b"exit ")
kept = Last()
"""], capture_output=True, text=True, cwd=SOURCES, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "exit deleted")


if __name__ == "__main__":
    unittest.main()
