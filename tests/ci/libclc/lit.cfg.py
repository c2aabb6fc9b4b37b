"""Tests of the form that libclc's own have, with its names for how they are compiled and run."""
import os

import lit.formats

config.name = "libclc"
config.suffixes = [".cl"]
config.test_format = lit.formats.ShTest()
config.environment["PATH"] = os.environ["PATH"]
clang = os.environ.get("CLANG", "clang")
here = os.path.dirname(__file__)
config.substitutions += [
    ("%libclc-compile", f"{clang} -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx906 -O2 -nogpulib %s -o %t"),
    ("%libclc-run", os.path.join(here, "llvm-gpu-loader")),
]
