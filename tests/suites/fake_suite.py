#!/usr/bin/env python3
"""A test program as GoogleTest and Thrust make them, with tests that end in every way."""
import os
import signal
import sys
import time

TESTS = ["Good.Passes", "Good.PassesToo", "Bad.Fails", "Bad.Crashes", "Bad.Exits", "Bad.Hangs",
         "Odd/0.Skips", "Odd/1.NoWordOfIt", "Good.DISABLED_Never", "Many/All.Of/0", "Many/All.Of/1",
         "Many/All.Of/2", "Many/All.Of/3", "Many/All.Of/4"]


def say(text):
    print(text, flush=True)


def run(name):
    say(f"[ RUN      ] {name}")
    if "Crashes" in name:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "Exits" in name:
        sys.exit(3)
    if "Hangs" in name:
        time.sleep(1000)
    if "Fails" in name:
        say(f"[  FAILED  ] {name}, where GetParam() = 1 (2 ms)")
    elif "Skips" in name:
        say("file.cpp:1: Skipped\n")
        say(f"[  SKIPPED ] {name} (0 ms)")
    elif "NoWord" not in name:
        say(f"[       OK ] {name} (3 ms)")
    return "Fails" in name


def google_test():
    pattern = next(word.partition("=")[2] for word in sys.argv if word.startswith("--gtest_filter"))
    wanted = TESTS if pattern == "*" else [name for name in TESTS if name in pattern.split(":")]
    if "--gtest_list_tests" in sys.argv:
        say("Some Device: 1. A line of the program's own\n")
        suite = ""
        for name in wanted:
            if suite != name.partition(".")[0]:
                suite = name.partition(".")[0]
                say(f"{suite}.  # TypeParam = int")
            say(f"  {name.partition('.')[2]}  # GetParam() = {{ a: 1. }}")
        return 0
    failed = [name for name in wanted if run(name)]
    say(f"[  PASSED  ] {len(wanted) - len(failed)} tests.")
    for name in failed:
        say(f"[  FAILED  ] {name}, where GetParam() = 1")
    return int(bool(failed))


def thrust():
    names = ["TestGood", "TestBad", "TestKnown"]
    if "--list" in sys.argv:
        say("\n".join(names))
        return 0
    say("Running 3 unit tests.")
    for name, verdict in zip(names, ("PASS", "FAIL", "KNOWN FAILURE")):
        if name in sys.argv:
            say(f"Running {name}...\r[{verdict}]      0.326 ms {name}")
    return 0


if __name__ == "__main__":
    sys.exit(thrust() if "--thrust" in sys.argv else google_test())
