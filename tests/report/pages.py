"""Pages as gcnjit writes them, for the tests of this folder."""
import os
import pathlib
import shutil
import subprocess
import tempfile

GCNJIT = os.environ["GCNJIT_PROGRAM"]
OBJECT = os.environ["GCNJIT_REPORT_OBJECT"]
HIP_PROGRAM = os.environ.get("GCNJIT_HIP_PROGRAM", "")
HOSTILE = "<script>document.title='x'<" + "\u2215script>\"'&.co"  # a file's name has no slash

ARGUMENTS = ["--kernel", "mixed", "--global", "16384", "--local", "256", "--arg", "buf:1M", "--arg", "rand:f32:16384",
             "--arg", "local:16K", "--time", "0.1", "--repetitions", "1", "--engines", "interp,avx2"]


def bench(*arguments, **more):
    return subprocess.run([GCNJIT, "bench", *arguments], capture_output=True, text=True, timeout=300, **more)


class Pages:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        self.bench = folder / "bench.html"
        self.bench_json = self.write(bench(OBJECT, *ARGUMENTS, "--json", "--html", self.bench))
        shutil.copy(OBJECT, folder / HOSTILE)
        self.hostile = folder / "hostile.html"
        self.write(bench(HOSTILE, *ARGUMENTS, "--html", self.hostile, cwd=folder))
        self.exec = None
        if HIP_PROGRAM and os.path.exists(HIP_PROGRAM):
            self.exec = folder / "exec.html"
            self.write(subprocess.run([GCNJIT, "exec", "--html", self.exec, "--", HIP_PROGRAM], capture_output=True, text=True,
                                      timeout=300))

    def write(self, done):
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    def all(self):
        found = {"bench": self.bench, "hostile": self.hostile}
        if self.exec:
            found["exec"] = self.exec
        return found

    def close(self):
        self.folder.cleanup()
