"""Processes that are forked off, as by multiprocessing, and their parent go on with what is loaded."""
import os
import unittest

import numpy as np

import gcnjit

KERNELS = 8
SOURCE = "\n".join(
    f"kernel void mix{k}(global uint* y) {{ uint i = get_global_id(0); uint s = i; "
    f"for (uint j = 0; j < 50; ++j) s = (s * {2 * k + 3}u + (s >> {k + 3})) ^ j; y[i] = s; }}"
    for k in range(KERNELS))


def expected(k):
    s = np.arange(256, dtype=np.uint32)
    for j in range(50):
        s = (s * np.uint32(2 * k + 3) + (s >> np.uint32(k + 3))) ^ np.uint32(j)
    return s


class ForkTest(unittest.TestCase):
    def test_both_go_on(self):
        program = gcnjit.compile_opencl(SOURCE, target="gfx906")
        memory = gcnjit.allocate(256, np.uint32)

        def is_right(k):
            program.kernels[f"mix{k}"](memory, grid=256, compile_first=True, threads=1)
            return bool((memory == expected(k)).all())

        self.assertTrue(is_right(0))
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if all(is_right(k) for _ in range(3) for k in reversed(range(KERNELS))) else 1
                del is_right, program  # as at an ordinary end
            finally:
                os._exit(status)
        for _ in range(3):
            for k in range(KERNELS):
                self.assertTrue(is_right(k))
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(is_right(1))


if __name__ == "__main__":
    unittest.main()
