"""Arguments: each kind of value, what is refused, and what the message says."""
import array
import itertools
import struct
import ctypes
import unittest
import warnings
from fractions import Fraction

import numpy as np
from support import KernelTest, path

import gcnjit
from gcnjit import Local

F = np.float32


class ValueTest(KernelTest):
    def values(self, *given):
        out = np.zeros(10)
        self.kernel("values")(out, *given, grid=1)
        return out.tolist()

    def test_each_type(self):
        given = (-128, 255, -32768, 65535, -2**31, 2**32 - 1, -2**40, 2**41, 1.5, -2.25)
        self.assertEqual(self.values(*given), [float(v) for v in given])

    def test_numpy_scalars_of_other_widths(self):
        given = (np.int64(-3), np.int32(4), np.int8(5), np.uint8(6), np.uint16(7), np.bool_(True), True, np.uint64(9),
                 np.float64(0.5), np.float32(0.25))
        self.assertEqual(self.values(*given), [-3, 4, 5, 6, 7, 1, 1, 9, 0.5, 0.25])

    def test_whole_numbers_for_floats(self):
        self.assertEqual(self.values(*[0] * 8, 3, 4)[8:], [3.0, 4.0])

    def test_floats_are_rounded_to_nearest(self):
        self.assertEqual(self.values(*[0] * 8, 0.1, 0.1)[8:], [float(F(0.1)), 0.1])

    def test_float_beyond_the_range_is_infinite(self):
        self.assertEqual(self.values(*[0] * 8, 1e300, 0)[8], float("inf"))

    def test_float_for_a_whole_number(self):
        with self.assertRaisesRegex(gcnjit.LaunchError, r"argument 5 \('i'\).*whole number"):
            self.values(0, 0, 0, 0, 1.0, 0, 0, 0, 0, 0)

    def test_out_of_range(self):
        for n, value in ((0, 128), (1, -1), (1, 256), (4, 2**31), (5, -1), (7, 2**64)):
            given = [0] * 10
            given[n] = value
            with self.subTest(n=n, value=value), self.assertRaisesRegex(gcnjit.LaunchError, f"argument {n + 1} "):
                self.values(*given)

    def test_beyond_every_double(self):
        for n, value in ((8, 10**400), (9, -10**400), (9, Fraction(10**400)), (4, 10**5000), (9, 10**5000)):
            given = [0] * 10
            given[n] = value
            with self.subTest(n=n), self.assertRaisesRegex(gcnjit.LaunchError, f"argument {n + 1} .* is no"):
                self.values(*given)

    def test_no_number(self):
        for value in ("1", None, [1], 1j):
            with self.subTest(value=value), self.assertRaises((gcnjit.LaunchError, TypeError)):
                self.values(*[0] * 8, value, 0)

    def test_bytes(self):
        self.assertEqual(self.values(*[0] * 8, struct.pack("<f", 2.5), 0)[8], 2.5)
        with self.assertRaisesRegex(gcnjit.LaunchError, "4 bytes, not 8"):
            self.values(*[0] * 8, bytes(8), 0)

    def test_vectors(self):
        for v in ((1, 2, 3, 4), [1.0, 2.0, 3.0, 4.0], np.array([1, 2, 3, 4], F)):
            out = np.zeros(9, F)
            self.kernel("vectors")(out, v, (5, 6, 7), np.array([8, 9], F), grid=1)
            np.testing.assert_array_equal(out, np.arange(1, 10))

    def test_vector_with_other_components(self):
        with self.assertRaisesRegex(gcnjit.LaunchError, "4 components, not 3"):
            self.kernel("vectors")(np.zeros(9, F), (1, 2, 3), (5, 6, 7), (8, 9), grid=1)

    def test_what_is_no_vector(self):
        for value, words in ((5, "4 components: give a sequence"), (np.array(5.0), "4 components: give a sequence"),
                             (itertools.count(), "4 components, not more"), ("abcd", "is a float32 number, not 'a'")):
            with self.subTest(words), self.assertRaisesRegex(gcnjit.LaunchError, rf"argument 1 .*{words}"):
                self.kernel("vectors")(np.zeros(9, F), value, (5, 6, 7), (8, 9), grid=1)

    def test_values_of_the_other_byte_order(self):
        out = np.zeros(9, F)
        vector = np.array([1, 2, 3, 4], ">f4")
        self.kernel("vectors")(out, vector, (5, 6, 7), np.array([8, 9], ">i8"), grid=1)
        np.testing.assert_array_equal(out, np.arange(1, 10))
        pair = np.zeros((), [("a", ">i4"), ("b", "f4"), ("c", "u2"), ("", "V2")])
        for given in (pair, pair[()]):
            with self.assertRaisesRegex(gcnjit.LaunchError, r"argument 1 \('pair'\).*little-endian"):
                self.kernel("structure")(np.zeros(3, F), given, grid=1)

    def test_structure(self):
        pair = np.zeros((), [("a", "i4"), ("b", "f4"), ("c", "u2"), ("", "V2")])
        pair["a"], pair["b"], pair["c"] = 7, 0.5, 9
        for given in (pair, pair[()], struct.pack("<ifHxx", 7, 0.5, 9)):
            out = np.zeros(3, F)
            self.kernel("structure")(out, given, grid=1)
            np.testing.assert_array_equal(out, [7, 0.5, 9])

    def test_structure_of_another_size(self):
        with self.assertRaisesRegex(gcnjit.LaunchError, "12 bytes, not 4"):
            self.kernel("structure")(np.zeros(3, F), np.float32(1), grid=1)

    def test_hip_has_no_types(self):
        kernel = gcnjit.load(path("printing.hipfb")).kernels["twice"]
        data = np.arange(64, dtype=F)
        kernel(data, F(3), grid=64)
        np.testing.assert_array_equal(data, np.arange(64) * 3)
        for untyped in (3, 3.0):
            with self.assertRaisesRegex(gcnjit.LaunchError, "does not say which type"):
                kernel(data, untyped, grid=64)
        with self.assertRaisesRegex(gcnjit.LaunchError, "4 bytes, not 8"):
            kernel(data, np.float64(3), grid=64)


class UnsuitableTest(KernelTest):
    """What has a length, a number or memory, but does not mean what a kernel would take it for."""

    def refused(self, words, kernel, *arguments):
        with self.subTest(arguments), self.assertRaisesRegex(gcnjit.LaunchError, words):
            self.kernel(kernel)(*arguments, grid=1, group=1)

    def test_times(self):
        for time in (np.timedelta64(3, "s"), np.timedelta64(3, "ns"), np.timedelta64(3, "Y")):
            self.refused("which has a unit", "values", np.zeros(10), *[0] * 4, time, *[0] * 5)
            self.refused("which has a unit", "values", np.zeros(10), *[0] * 8, time, 0)
            self.refused("is no address", "add_one", time)

    def test_masks(self):
        masked = np.ma.masked_array(np.zeros(4, np.float32), [1, 0, 0, 0])
        self.refused(r"array\.data", "add_one", masked)
        self.refused(r"array\.data", "vectors", np.zeros(9, F), masked, (0,) * 3, (0,) * 2)

    def test_components_without_an_order(self):
        for given in ({1, 2, 3, 4}, frozenset((1, 2, 3, 4)), {1: 1, 2: 2, 3: 3, 4: 4}):
            self.refused("has 4 components", "vectors", np.zeros(9, F), given, (0,) * 3, (0,) * 2)

    def test_structures_of_ctypes(self):
        class Pair(ctypes.Structure):
            _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_float), ("c", ctypes.c_ushort)]
        out, pair = np.zeros(3, F), Pair(5, 1.5, 7)
        self.refused(r"its bytes\(\.\.\.\)", "structure", out, pair)
        self.kernel("structure")(out, bytes(pair), grid=1, group=1)
        np.testing.assert_array_equal(out, [5, 1.5, 7])


class PointerTest(KernelTest):
    def test_none_is_null(self):
        out = np.zeros(1, np.uint32)
        self.kernel("is_null")(out, None, grid=1)
        self.assertEqual(out[0], 1)
        self.kernel("is_null")(out, np.zeros(1), grid=1)
        self.assertEqual(out[0], 0)

    def test_address(self):
        data = self.program.device.allocate(64, np.uint32)
        self.kernel("add_one")(gcnjit.address_of(data), grid=64)
        self.assertTrue((data == 1).all())

    def test_addresses_in_memory(self):
        data = self.program.device.copy(np.arange(100, 164, dtype=np.uint32))
        pointers = np.uint64(gcnjit.address_of(data)) + np.arange(63, -1, -1, dtype=np.uint64) * np.uint64(4)
        out = np.zeros(64, np.uint32)
        self.kernel("follow")(out, pointers, grid=64)
        np.testing.assert_array_equal(out, data[::-1])

    def test_no_address(self):
        for value in (-1, 2**64, 1.5, True, "x"):
            with self.subTest(value=value), self.assertRaises(gcnjit.LaunchError):
                self.kernel("add_one")(value, grid=64)

    def test_objects_with_a_buffer(self):
        for data in (bytearray(256), array.array("I", [0] * 64), memoryview(bytearray(256)).cast("I")):
            with self.subTest(type(data).__name__):
                self.kernel("add_one")(data, grid=64)
                np.testing.assert_array_equal(np.frombuffer(data, np.uint32), np.ones(64))

    def test_structures_that_numpy_does_not_know(self):
        class Bits(ctypes.Structure):
            _fields_ = [("a", ctypes.c_uint, 3), ("b", ctypes.c_uint, 29)]

        class Either(ctypes.Union):
            _fields_ = [("a", ctypes.c_uint), ("b", ctypes.c_float)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for data in ((Bits * 64)(), (Either * 64)()):
                self.kernel("add_one")(data, grid=64)
                self.assertEqual(data[63].a, 1)

    def test_scalars_are_no_memory(self):
        for scalar in (np.float32(1), np.True_, np.str_("text"), np.datetime64("2020")):
            with self.assertRaisesRegex(gcnjit.LaunchError, "is memory: give an array"):
                self.kernel("add_one")(scalar, grid=1)

    def test_objects_of_python(self):
        objects = np.array([None] * 64)
        mixed = np.zeros(64, [("a", "u4"), ("b", "O")])
        for data in (objects, mixed, memoryview(objects), memoryview(mixed), (ctypes.py_object * 64)()):
            with self.assertRaisesRegex(gcnjit.LaunchError, "no Python objects"):
                self.kernel("add_one")(data, grid=64)

    def test_arrays_with_gaps(self):
        with self.assertRaisesRegex(gcnjit.LaunchError, r"argument 0 \('data'\).*not contiguous"):
            self.kernel("add_one")(np.zeros(128, np.uint32)[::2], grid=64)
        with self.assertRaisesRegex(gcnjit.LaunchError, "not contiguous"):
            self.kernel("add_one")(memoryview(bytearray(512))[::2], grid=64)

    def test_memory_of_the_other_byte_order(self):
        swapped = np.zeros(64, ">u4")
        mixed = np.zeros(64, [("a", "u2"), ("b", ">u2")])
        of_ctypes = (ctypes.c_uint32.__ctype_be__ * 64)()
        for data in (swapped, mixed, memoryview(swapped), memoryview(mixed), of_ctypes, memoryview(np.zeros(64, ">U1"))):
            with self.assertRaisesRegex(gcnjit.LaunchError, r"argument 0 \('data'\).*little-endian"):
                self.kernel("add_one")(data, grid=64)
        bytes_and_words = np.zeros(64, [("a>f", "S3"), ("b", "u1"), ("c", "u4")])
        for data in (np.zeros(256, ">u1"), memoryview(bytes_and_words), memoryview(np.zeros(64, "f4,(2,3)i2"))):
            self.kernel("add_one")(data, grid=64)  # have no order, or this one
        with self.assertRaisesRegex(gcnjit.LaunchError, "no address"):
            self.kernel("add_one")(10**5000, grid=64)

    def test_fortran_order_is_memory_as_it_is(self):
        data = np.asfortranarray(np.zeros((4, 16), np.uint32))
        data[1, 0] = 5
        self.kernel("add_one")(data, grid=64)
        self.assertEqual((data[1, 0], data.sum()), (6, 69))

    def test_other_dtypes(self):
        data = np.zeros(64, "datetime64[s]")
        self.kernel("add_one")(data, grid=128)
        self.assertTrue((data.view(np.uint32) == 1).all())

    def test_empty_array(self):
        out = np.zeros(1, np.uint32)
        self.kernel("is_null")(out, np.zeros(0), grid=1)
        self.assertEqual(out[0], 0)


class ListTest(KernelTest):
    def test_too_few_and_too_many(self):
        data = np.zeros(64, F)
        for given in ((), (1.0, data), (1.0, data, data, 64, 5)):
            with self.subTest(len(given)), self.assertRaisesRegex(
                    gcnjit.LaunchError, rf"takes 4 arguments \(a, x, y, n\), not {len(given)}"):
                self.kernel("saxpy")(*given, grid=64)

    def test_local_memory(self):
        data = np.arange(64, dtype=np.uint32)
        self.kernel("reverse")(data, Local(256), grid=64)
        np.testing.assert_array_equal(data, np.arange(63, -1, -1))

    def test_sizes_that_are_none(self):
        for size in (-1, 2**32, 10**400, 10**5000, 1.0, "3", None, np.float32(5.5), np.timedelta64(3, "s")):
            with self.assertRaisesRegex(gcnjit.LaunchError, "Local: nbytes .*whole number, 0 to 4294967295"):
                Local(size)
        self.assertEqual((Local(np.uint8(5)), repr(Local(5))), (Local(5), "Local(5)"))

    def test_local_memory_elsewhere(self):
        with self.assertRaisesRegex(gcnjit.LaunchError, "no local memory"):
            self.kernel("add_one")(Local(256), grid=64)
        with self.assertRaisesRegex(gcnjit.LaunchError, r"Local\(nbytes\)"):
            self.kernel("reverse")(np.zeros(64, np.uint32), 256, grid=64)

    def test_too_much_local_memory(self):
        with self.assertRaises(gcnjit.LaunchError) as caught:
            self.kernel("reverse")(np.zeros(64, np.uint32), Local(100_000), grid=64)
        self.assertEqual(caught.exception.code, "out-of-resources")

    def test_shared_memory_of_hip(self):
        data = np.arange(64, dtype=np.uint32)
        gcnjit.load(path("printing.hipfb")).kernels["backwards"](data, Local(256), grid=64)
        np.testing.assert_array_equal(data, np.arange(63, -1, -1))

    def test_without_metadata(self):
        kernel = gcnjit.load(path("bare.co")).kernels["squares"]
        self.assertIsNone(kernel.arguments)
        data = np.zeros(64, np.uint32)
        kernel(data, np.uint32(7), grid=64)
        np.testing.assert_array_equal(data, np.arange(64) ** 2 + 7)
        with self.assertRaisesRegex(gcnjit.LaunchError, "does not say"):
            kernel(data, 7, grid=64)
        with self.assertRaisesRegex(gcnjit.LaunchError, "does not say"):
            kernel(data, 7.0, grid=64)


if __name__ == "__main__":
    unittest.main()
