"""Kernels as tests of lit: each file is compiled, run on the CPU, and looked at by FileCheck."""
import os

import lit.formats

config.name = "kernels"
config.suffixes = [".cl"]
config.test_format = lit.formats.ShTest()
config.environment["PATH"] = os.environ["PATH"]
clang = os.environ.get("CLANG", "clang")
config.substitutions += [
    ("%compile", f"{clang} -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx906 -O2 -nogpulib %s -o %t.co"),
    ("%run", "gcnjit run %t.co"),
    ("%check", f"{os.environ.get('FILECHECK', 'FileCheck')} %s"),
]
