#!/usr/bin/env python3
"""Writes copies of source files with the errors of mutants.txt in them.

    plant.py SOURCE_DIRECTORY OUTPUT_DIRECTORY
    plant.py SOURCE_DIRECTORY --check       only: can each error be planted?

For each file that has any, OUTPUT_DIRECTORY gets the copy and its path is printed. The copies do
what the originals do unless GCNJIT_MUTANT names an error.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
HEADER = """#pragma once
#include <cstdlib>
#include <string_view>

// Is this the error to make?
inline bool GcnjitMutant(std::string_view name) {
  static const char* const wanted = std::getenv("GCNJIT_MUTANT");
  return wanted != nullptr && name == wanted;
}
"""


def read_table():
    """Yields (name, area, path, right, wrong, occurrence)."""
    head = right = None
    for number, line in enumerate((HERE / "mutants.txt").read_text().splitlines(), 1):
        if match := re.fullmatch(r"\[([\w-]+)\] (\w+) (\S+)(?: #(\d+))?", line):
            head = match.groups()
        elif line.startswith("- "):
            right = line[2:]
        elif line.startswith("+ "):
            name, area, path, occurrence = head
            if not path.endswith(".cpp"):  # sources include the headers below src/
                sys.exit(f"mutants.txt:{number}: [{name}]: errors can be planted in .cpp files only")
            yield name, area, path, right, line[2:], int(occurrence or 0)
        elif line and not line.startswith("#"):
            sys.exit(f"mutants.txt:{number}: not understood: {line}")


def outside_of_parentheses(code):
    while (shorter := re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", "", code)) != code:
        code = shorter
    return code


def plant(text, name, right, wrong, occurrence):
    # The sources are formatted: a text may be broken into lines anywhere.
    pattern = r"\s+".join(re.escape(word) for word in right.split())
    pattern = re.sub(r"(\\[(){}]|,)", r"\\s*\1\\s*", pattern)
    if re.match(r"(case|default)\b|[^=;]*\b\w+ \w+ = .*;$", right):
        raise ValueError(f"mutants.txt: [{name}]: a declaration or a label would be in a scope of its own: {right}")
    if right.endswith("{") or wrong.endswith("{"):
        raise ValueError(f"mutants.txt: [{name}]: neither a statement nor an expression: {right}")
    if not right.endswith(";") and any("," in outside_of_parentheses(code) for code in (right, wrong)):
        raise ValueError(f"mutants.txt: [{name}]: two expressions would become one: {right}")
    pattern = r"(?<!\w)" * right[0].isidentifier() + pattern
    found = list(re.finditer(pattern, text))
    if occurrence == 0 and len(found) != 1 or occurrence > len(found):
        raise ValueError(f"mutants.txt: [{name}]: its text is there {len(found)} times: {right}")
    at = found[max(occurrence - 1, 0)]
    begin, end = at.span()
    original = text[begin:end]
    lead = original[:len(original) - len(original.lstrip())]
    test = f'GcnjitMutant("{name}")'
    if right.endswith(";"):
        planted = f"if ({test}) {{ {wrong} }} else {{ {original.strip()} }}"
    else:
        planted = f"({test} ? ({wrong}) : ({original.strip()}))"
    return text[:begin] + lead + planted + text[end:]


def main():
    source, output = map(pathlib.Path, sys.argv[1:])
    texts = {}
    errors = []
    for name, _, path, right, wrong, occurrence in read_table():
        try:
            if path not in texts:
                texts[path] = (source / "src" / path).read_text()
            texts[path] = plant(texts[path], name, right, wrong, occurrence)
        except (OSError, ValueError) as error:
            errors.append(str(error))
    if errors:
        sys.exit("\n".join(errors))
    if str(output) == "--check":
        return
    output.mkdir(parents=True, exist_ok=True)
    files = {"mutant.h": HEADER} | {path: f'#include "mutant.h"\n{text}' for path, text in texts.items()}
    for path, text in files.items():
        copy = output / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        # Unchanged copies keep their time, so that they are not compiled again.
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)
    print("\n".join(texts))


if __name__ == "__main__":
    main()
