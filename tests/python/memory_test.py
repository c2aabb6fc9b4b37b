"""Memory: what kernels share with NumPy, what is copied, and how long it lives."""
import gc
import sys
import unittest
import weakref

import numpy as np
from support import KernelTest

import gcnjit


class AllocateTest(unittest.TestCase):
    def test_zeros_of_shape_and_dtype(self):
        for shape in (5, (5,), (2, 3), (2, 3, 4), (), np.int64(5)):
            array = gcnjit.allocate(shape, np.int16)
            self.assertEqual(array.shape, np.zeros(shape).shape)
            self.assertEqual(array.dtype, np.int16)
            self.assertFalse(array.any())
            self.assertTrue(array.flags.writeable and array.flags.c_contiguous)

    def test_structured(self):
        array = gcnjit.allocate(3, [("a", "i4"), ("b", "f8")])
        array["b"] = 2.5
        self.assertEqual(array["b"].sum(), 7.5)

    def test_begins_at_a_page(self):
        self.assertEqual(gcnjit.address_of(gcnjit.allocate(3)) % 4096, 0)

    def test_no_elements(self):
        self.assertEqual(gcnjit.allocate((0, 3)).shape, (0, 3))

    def test_refused(self):
        with self.assertRaises(TypeError):
            gcnjit.allocate(3, object)
        with self.assertRaises(TypeError):
            gcnjit.allocate(2.5)
        with self.assertRaises(ValueError):
            gcnjit.allocate((2, -1))

    def test_more_than_there_is(self):
        with self.assertRaises(gcnjit.Error) as caught:
            gcnjit.allocate(2**50, np.uint8)
        self.assertEqual(caught.exception.code, "out-of-resources")

    def test_products_beyond_any_type(self):
        for shape in (2**63, (2**32, 2**32), 10**400, (np.int64(2**32), np.int64(2**32)), (np.int32(2**30), np.int32(64))):
            with self.subTest(shape), self.assertRaises(gcnjit.Error) as caught:
                gcnjit.allocate(shape, np.float64)
            self.assertEqual(caught.exception.code, "out-of-resources")
        self.assertEqual(gcnjit.allocate((2**40, 0)).shape, (2**40, 0))

    def test_shapes_that_are_none(self):
        for shape in (2.5, None, "3", (1.0,), ("a",), np.float32(3), np.timedelta64(3, "s"), [[1], [2]]):
            with self.subTest(shape), self.assertRaisesRegex(TypeError, "whole number, or a tuple"):
                gcnjit.allocate(shape)
        self.assertEqual(gcnjit.allocate(np.array([2, 3])).shape, (2, 3))
        self.assertEqual(gcnjit.allocate(np.array(3)).shape, (3,))

    def test_what_is_no_array(self):
        for given in (None, 3, [1], b"abc"):
            with self.assertRaisesRegex(TypeError, "takes a NumPy array, not"):
                gcnjit.address_of(given)
            with self.assertRaisesRegex(TypeError, "takes a NumPy array, not"):
                gcnjit.default_device().has(given)

    def test_device_that_is_none(self):
        for given in ("yes", None, [], 1.0):
            with self.assertRaisesRegex(TypeError, "shared_memory .*: True or False"):
                gcnjit.Device(given)
        with self.assertRaisesRegex(TypeError, "a gcnjit.Device or None, not int"):
            gcnjit.load(b"", device=3)

    def test_copy(self):
        host = np.arange(12, dtype=">i4").reshape(3, 4)[:, ::2]
        copied = gcnjit.default_device().copy(host)
        np.testing.assert_array_equal(copied, host)
        self.assertEqual(copied.dtype, host.dtype)

    def test_has(self):
        device = gcnjit.Device()
        array = device.allocate((8, 8))
        for part in (array, array[3:], array[::2, ::-1], array.T, array[1:2, 3]):
            self.assertTrue(device.has(part))
        self.assertFalse(device.has(np.zeros(3)))
        self.assertFalse(device.has(array[:0]))
        self.assertFalse(device.has(gcnjit.Device().allocate(8)))


class LifetimeTest(unittest.TestCase):
    def setUp(self):
        self.device = gcnjit.Device()

    def test_freed_with_the_last_view(self):
        array = self.device.allocate(1024)
        address = gcnjit.address_of(array)
        self.assertTrue(self.device._native.has(address, 4096))
        view = array[10:20].view(np.uint8)
        del array
        self.assertTrue(self.device._native.has(address, 4096))
        view[:] = 1
        del view
        self.assertFalse(self.device._native.has(address, 4096))

    def test_outlives_its_device(self):
        array = self.device.allocate(1024)
        gone = weakref.ref(self.device)
        del self.device
        gc.collect()
        self.assertIsNone(gone())
        array[:] = 1
        self.assertEqual(array.sum(), 1024)

    def test_of_arrays_that_numpy_makes(self):
        result = self.device.copy(np.arange(4.0))[1:] + 1  # NumPy's own memory
        self.assertFalse(self.device.has(result))
        np.testing.assert_array_equal(result, [2, 3, 4])


class SharingTest(KernelTest):
    def test_device_memory_is_not_copied(self):
        data = self.program.device.allocate(64, np.uint32)
        address = np.zeros(1, np.uint64)
        add_one = self.kernel("add_one")
        for n in range(1, 4):
            add_one(data, grid=64)
            self.assertTrue((data == n).all())
        address[0] = gcnjit.address_of(data)
        out = np.zeros(1, np.uint32)
        self.kernel("follow")(out, address, grid=1, group=1)
        self.assertEqual(out[0], 3)

    def test_part_of_device_memory(self):
        data = self.program.device.allocate(192, np.uint32)
        self.kernel("add_one")(data[64:128], grid=64)
        np.testing.assert_array_equal(data, [0] * 64 + [1] * 64 + [0] * 64)

    def test_arrays_of_the_host_are_written_back(self):
        data = np.zeros((8, 8), np.uint32)
        self.kernel("add_one")(data, grid=64)
        self.assertTrue((data == 1).all())

    def test_only_the_array_is_written_back(self):
        data = np.zeros(192, np.uint32)
        self.kernel("add_one")(data[64:128], grid=128)
        np.testing.assert_array_equal(data, [0] * 64 + [1] * 64 + [0] * 64)

    def test_read_only_arrays_stay(self):
        data = np.zeros(64, np.uint32)
        data.flags.writeable = False
        self.kernel("add_one")(data, grid=64)
        self.assertFalse(data.any())
        self.kernel("add_one")(bytes(256), grid=64)

    def test_the_same_array_twice(self):
        data = np.arange(64, dtype=np.uint32)
        self.kernel("shift")(data, data, grid=64, group=64)
        np.testing.assert_array_equal(data, np.arange(64) + 100)

    def test_overlapping_arrays(self):
        # In one wave all loads come before all stores.
        data = np.arange(80, dtype=np.uint32)
        self.kernel("shift")(data[:64], data[16:], grid=64, group=64)
        np.testing.assert_array_equal(data, [*range(16), *range(100, 164)])

    def test_overlapping_arrays_one_of_which_may_not_be_written(self):
        data = np.arange(80, dtype=np.uint32)
        source = data[:64]
        source.flags.writeable = False
        self.kernel("shift")(source, data[16:], grid=64, group=64)
        np.testing.assert_array_equal(data, [*range(16), *range(100, 164)])

    def test_neighbours_stay_apart(self):
        data = np.zeros(128, np.uint32)
        self.kernel("shift")(data[:64], data[64:], grid=64)
        np.testing.assert_array_equal(data, [0] * 64 + [100] * 64)

    def test_memory_of_another_device(self):
        data = gcnjit.Device().allocate(64, np.uint32)
        self.kernel("add_one")(data, grid=64)
        self.assertTrue((data == 1).all())

    def test_shared_memory_copies_nothing(self):
        device = gcnjit.Device(shared_memory=True)
        program = gcnjit.load(self.path_of_kernels(), device=device)
        data = np.arange(64, dtype=np.uint32)
        out = np.zeros(1, np.uint32)
        # The kernel finds the array at NumPy's own address.
        program.kernels["follow"](out, np.array([gcnjit.address_of(data) + 20], np.uint64), grid=1, group=1)
        self.assertEqual(out[0], 5)
        program.kernels["add_one"](data, grid=64)
        np.testing.assert_array_equal(data, np.arange(64) + 1)

    def test_without_shared_memory_the_host_is_out_of_reach(self):
        data = np.arange(64, dtype=np.uint32)
        with self.assertRaises(gcnjit.Fault):
            self.kernel("follow")(np.zeros(1, np.uint32), np.array([gcnjit.address_of(data)], np.uint64), grid=1, group=1)

    @staticmethod
    def path_of_kernels():
        from support import path
        return path("kernels-gfx906.co")


class ReferencesTest(KernelTest):
    """Launches keep nothing of what they were given."""

    def check(self, launch, *objects):
        launch()
        before = [sys.getrefcount(o) for o in objects]
        for _ in range(20):
            launch()
        self.assertEqual([sys.getrefcount(o) for o in objects], before)

    def test_arguments(self):
        host, device = np.zeros(64, np.uint32), self.program.device.allocate(64, np.uint32)
        number, local = np.float32(2), gcnjit.Local(256)
        self.check(lambda: self.kernel("saxpy")(number, host.view("f4"), device.view("f4"), 64, grid=64), host, device, number)
        self.check(lambda: self.kernel("reverse")(host, local, grid=64), host, local)

    def test_after_a_refusal(self):
        host, bad = np.zeros(64, np.uint32), np.zeros(128)[::2]

        def refused():
            with self.assertRaises(gcnjit.LaunchError):
                self.kernel("saxpy")(1.0, host, bad, 64, grid=64)
            with self.assertRaises(gcnjit.LaunchError):
                self.kernel("add_one")(host, grid=0)
        self.check(refused, host, bad)

    def test_after_a_fault(self):
        host = np.zeros(128, np.uint32)

        def fault():
            with self.assertRaises(gcnjit.Fault):
                self.kernel("stray")(host, grid=128)
        self.check(fault, host, self.kernel("stray"), self.program.device)

    def test_buffers_are_released(self):
        data = bytearray(256)
        self.kernel("add_one")(data, grid=64)
        data.extend(b"free")  # BufferError while somebody has the buffer

    def test_print(self):
        def show(text):
            pass
        data = np.zeros(64, np.uint32)
        self.check(lambda: self.kernel("add_one")(data, grid=64, print=show), show, data)

    def test_parts_of_results_keep_them(self):
        result = self.kernel("add_one")(np.zeros(64, np.uint32), grid=64)
        statistics = result.statistics
        del result
        gc.collect()
        self.assertEqual(statistics.workgroups, 1)


if __name__ == "__main__":
    unittest.main()
