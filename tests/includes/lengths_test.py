#!/usr/bin/env python3
"""Is every file that people write short enough to be read at once?

    tests/includes/lengths_test.py [SOURCE_FOLDER]    exit code 1, and each file that is longer, if not

That is code in C++, C, OpenCL, HIP, CUDA, assembler, Python and shell. Tables (.def), data of tests (.case, .ir, .txt) and
what a program writes, whose first line then says "Written by" it, may be as long as they like.
"""
import os
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FOLDERS = ("include", "src", "tests", "bench", "scripts")
CODE = (".cpp", ".h", ".inc", ".c", ".cl", ".cu", ".hip", ".s", ".py")
MOST_LINES = 500


def is_written_by_hand(name, lines):
    """Scripts have no suffix but an interpreter."""
    is_code = name.endswith(CODE) or ("." not in name and lines[:1] and lines[0].startswith(b"#!"))
    return is_code and not (lines and b"Written by " in lines[0])


def code_files(root):
    """Path and lines of each."""
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    lines = file.readlines()
                if is_written_by_hand(name, lines):
                    yield os.path.relpath(path, root), len(lines)


def main():
    files = dict(code_files(sys.argv[1] if len(sys.argv) > 1 else ROOT))
    mistakes = [f"{path} has {count} lines, more than {MOST_LINES}: which of its duties could be a file of its own?"
                for path, count in sorted(files.items()) if count > MOST_LINES]
    print("\n".join(mistakes))
    print(f"{len(files)} files executed, {len(mistakes)} failed")
    return int(bool(mistakes) or not files)


if __name__ == "__main__":
    sys.exit(main())
