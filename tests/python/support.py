"""What the Python tests share. GCNJIT_PYTHON_OBJECTS is the folder of what CMakeLists.txt has compiled."""
import os
import unittest

import gcnjit

OBJECTS = os.environ["GCNJIT_PYTHON_OBJECTS"]
SOURCES = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(OBJECTS, name)


class KernelTest(unittest.TestCase):
    """One program for all of a class: loading is not what most tests are about."""

    @classmethod
    def setUpClass(cls):
        cls.program = gcnjit.load(path("kernels-gfx906.co"))

    def kernel(self, name):
        return self.program.kernels[name]
