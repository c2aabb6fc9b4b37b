// The bytes of an object with the buffer protocol.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <span>

namespace gcnjit::python {

// Holds the object's memory where it is, and its size. Made, and ended, with the GIL.
class BufferBytes {
 public:
  // Raises BufferError where the bytes do not lie one after the other, in C's order.
  explicit BufferBytes(pybind11::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) {
      throw pybind11::error_already_set();
    }
  }
  ~BufferBytes() { PyBuffer_Release(&buffer_); }
  BufferBytes(const BufferBytes&) = delete;
  BufferBytes& operator=(const BufferBytes&) = delete;

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(buffer_.buf), static_cast<size_t>(buffer_.len)};
  }

 private:
  Py_buffer buffer_ = {};
};

}  // namespace gcnjit::python
