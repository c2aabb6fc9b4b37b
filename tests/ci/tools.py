"""What the tests of this folder share."""
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
GCNJIT = os.environ["GCNJIT"]
OBJECTS = pathlib.Path(os.environ["OBJECTS"])
FOLDER = tempfile.TemporaryDirectory()  # where commands run


def path(name):
    return os.path.join(FOLDER.name, name)


def run(*command, code=0, cwd=FOLDER.name, **variables):
    """What it prints; `code` is how it must end."""
    done = subprocess.run([str(word) for word in command], capture_output=True, cwd=cwd, env={**os.environ, **variables})
    out = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    if done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}, not {code}:\n{out}")
    return out


def gcnjit(*arguments, **options):
    return run(GCNJIT, *arguments, **options)
