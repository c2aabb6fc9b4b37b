#!/usr/bin/env python3
"""Tests that are compiled as one (the preset unity) must not change what their neighbours mean by a name.

    unity_names_test.py BUILD    a build with GCNJIT_UNITY

The compiler sees when two of them define the same thing twice. It does not see

- that a file defines a name which a header, of the file or of its neighbours, has in an enclosing namespace (what is
  around a namespace without a name is one): files after it, in the same namespace, then get the file's;
- that two files define a name in different namespaces, one around the other: the inner one hides the outer one;
- a macro that lives on.

All files of a target are taken for neighbours, in whatever order, so that a new file does not change the verdict on
old ones. Limits: declarations are found by their form alone, as clang-format leaves it: those that begin in the first
column. Enumerators, members, and names that a macro makes are not seen; `using a::B;` is taken for the same B
everywhere; functions of one name and namespace with different parameters overload each other, which is no mistake here.
"""
import collections
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOT_A_NAME = {"alignas", "auto", "bool", "const", "decltype", "double", "explicit", "float", "int", "noexcept", "operator",
              "requires", "return", "sizeof", "static_assert", "void", "unsigned", "uint32_t", "uint64_t", "size_t"}
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:enum\s+(?:class\s+)?|struct\s+|class\s+|union\s+)(?:alignas\(\w+\)\s+)?(\w+)"
                  r"(?!\s*(?:\w|::))(?!<)")
ALIAS = re.compile(r"(?:template\s*<.*>\s*)?using\s+(\w+)\s*=(?!.*::\1(?:<.*>)?;)")
OTHER = re.compile(r"(?<![:\w~])(\w+)(?:\[[^\]]*\])*\s*[({=;]")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.S)


def without_comments(text):
    """Lines stay lines. What a text or a comment says is no declaration, but an include's text is its name."""
    def blank(match):
        at = text.rfind("\n", 0, match.start()) + 1
        if match[0].startswith('"') and text.startswith("#include", at):
            return match[0]
        return '""' * match[0].startswith(('"', "R")) + "\n" * match[0].count("\n")
    return COMMENT_OR_TEXT.sub(blank, text)


class File:
    """What a file includes, and the names that it declares at namespace scope."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = without_comments(file.read()).split("\n")
        self.path = path
        self.includes = []
        self.names = set()  # (namespace, name)
        self.macros = set()
        spaces = []  # [name, depth of its brace]
        depth = 0
        for line in lines:
            if match := re.match(r'#include "(.*)"', line):
                self.includes.append(match[1])
            elif match := re.match(r"#\s*define (\w+)", line):
                self.macros.add(match[1])
            elif match := re.match(r"#\s*undef (\w+)", line):
                self.macros.discard(match[1])
            if line.startswith("#"):
                continue
            if match := re.match(r"(?:inline )?namespace\s*([\w:]*)\s*\{", line):
                spaces.append((match[1] or "{}", depth))
            elif line[:1] not in ("", " ", "}", ")") and depth == len(spaces):
                self.declare("::".join(name for name, _ in spaces), line)
            depth += line.count("{") - line.count("}")
            while spaces and depth <= spaces[-1][1]:
                spaces.pop()

    def declare(self, space, line):
        if match := ALIAS.match(line) or TYPE.match(line):
            name = match[1]
        elif re.match(r"using |namespace |extern \"|friend |template<>|.*\boperator\b", line):
            return
        else:
            name = next((match[1] for match in OTHER.finditer(line) if match[1] not in NOT_A_NAME), None)
        if name and not name.isupper() and not re.fullmatch(r"[A-Z][A-Z0-9_]+|\d\w*", name):
            self.names.add((space, name))


class Sources:
    def __init__(self):
        self.files = {}

    def file(self, path):
        if path not in self.files:
            self.files[path] = File(path)
        return self.files[path]

    def headers(self, path):
        """What a file includes of this repository, and what that includes."""
        found, left = set(), [path]
        while left:
            at = left.pop()
            for name in self.file(at).includes:
                folders = [os.path.dirname(at), ROOT + "/include", ROOT + "/src", ROOT, ROOT + "/tests", ROOT + "/tests/isa"]
                for folder in folders:
                    header = os.path.normpath(os.path.join(folder, name))
                    if os.path.isfile(header):
                        if header not in found:
                            found.add(header)
                            left.append(header)
                        break
        return found


def encloses(outer, inner):
    return outer != inner and (outer == "" or inner.startswith(outer + "::"))


def targets(build):
    """The tests of each target that are compiled as one."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    of_target = collections.defaultdict(list)
    for command in commands:
        match = re.search(r"/CMakeFiles/([\w.]+)\.dir/Unity/unity_\d+_cxx\.cxx$", command["file"])
        if match:
            with open(command["file"], encoding="utf-8") as file:
                files = re.findall(r'^#include "(/.*)"', file.read(), re.M)
            of_target[match[1]] += [path for path in files if path.startswith(ROOT + "/tests/")]
    return {target: files for target, files in of_target.items() if len(files) > 1}


def mistakes_of(target, paths, sources):
    place = lambda path: os.path.relpath(path, ROOT)
    headers = set().union(*(sources.headers(path) for path in paths))
    declared = collections.defaultdict(list)
    for header in headers:
        for space, name in sources.file(header).names:
            declared[name].append((space, header))
    defined = collections.defaultdict(list)
    for path in paths:
        for macro in sources.file(path).macros:
            yield f"{place(path)}: the macro {macro} lives on in the other files of {target}: #undef it"
        for space, name in sources.file(path).names:
            defined[name].append((space, path))
            for other, header in declared[name]:
                if encloses(other, space):
                    yield f"{place(path)}: {name} hides that of {place(header)} from other files of {target}"
    for name, places in defined.items():
        for space, path in places:
            for other, neighbour in places:
                if encloses(other, space):
                    yield f"{place(path)}: {name} hides that of {place(neighbour)}, also of {target}"


def main():
    of_target = targets(sys.argv[1])
    if not of_target:
        sys.exit("no target of this build is compiled as one")
    sources = Sources()
    mistakes = sorted({mistake for target, paths in of_target.items() for mistake in mistakes_of(target, paths, sources)})
    print("\n".join(mistakes) or f"{len(of_target)} targets: every name stands for one thing")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
