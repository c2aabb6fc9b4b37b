#!/usr/bin/env python3
"""Do the folders below src include only what rooms.txt allows them? Does a file that calls fmt::join include its header?

    tests/includes/includes_test.py            exit code 1, and each include, if not
    tests/includes/includes_test.py --print    the table as the sources are now

A room is a folder that has a line in rooms.txt; files of folders without one belong to the nearest room above. A permission
that no file needs is a mistake, too.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.join(HERE, "../../src")


def read_rooms():
    rooms = {}
    with open(os.path.join(HERE, "rooms.txt")) as file:
        for line in file:
            line = line.split("#")[0].strip()
            if line:
                room, _, allowed = line.partition(":")
                rooms[room] = allowed.split()
    return rooms


def room_of(path, rooms):
    folder = os.path.dirname(path)
    while folder and folder not in rooms:
        folder = os.path.dirname(folder)
    return folder


def includes():
    for folder, _, files in os.walk(SRC):
        for name in files:
            if name.endswith((".h", ".cpp", ".def")):
                path = os.path.relpath(os.path.join(folder, name), SRC)
                with open(os.path.join(folder, name)) as file:
                    for included in re.findall(r'^#include "([^"]+)"', file.read(), re.M):
                        if os.path.exists(os.path.join(SRC, included)):
                            yield path, included


def without_ranges():
    """Files that rely on another header for fmt::join: not all releases of fmt have it there."""
    for top in ("src", "tests", "bench"):
        for folder, _, files in os.walk(os.path.join(SRC, "..", top)):
            for name in files:
                if name.endswith((".h", ".cpp")):
                    with open(os.path.join(folder, name)) as file:
                        text = file.read()
                    if "fmt::join" in text and "#include <fmt/ranges.h>" not in text:
                        yield os.path.relpath(os.path.join(folder, name), os.path.join(SRC, ".."))


def main():
    rooms = read_rooms()
    used = {room: set() for room in rooms}
    mistakes = []
    for path, included in includes():
        room, other = room_of(path, rooms), room_of(included, rooms)
        if not room or not other:
            mistakes.append(f"{path}: rooms.txt has no room for it or for {included}")
        elif room != other:
            used[room].add(other)
            if other not in rooms[room]:
                mistakes.append(f"{path} includes {included}: {room} may not include {other}")
    if "--print" in sys.argv:
        for room in rooms:
            print(f"{room}: {' '.join(sorted(used[room]))}")
        return 0
    for room, allowed in rooms.items():
        mistakes += [f"rooms.txt: {room} does not include {other}" for other in allowed if other not in used[room]]
    mistakes += [f"{path} calls fmt::join without fmt/ranges.h" for path in without_ranges()]
    print("\n".join(sorted(set(mistakes))))
    print(f"{len(rooms)} rooms executed, {len(set(mistakes))} failed")
    return int(bool(mistakes))


if __name__ == "__main__":
    sys.exit(main())
