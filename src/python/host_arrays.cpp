#include "python/host_arrays.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gcnjit::python {
namespace py = pybind11;

void HostArrays::Release::operator()(Py_buffer* buffer) const {
  PyBuffer_Release(buffer);
  delete buffer;
}

HostArrays::~HostArrays() {
  for (const uint64_t address : allocations_) (void)device_.Free(address);
}

void HostArrays::Add(py::handle object) {
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), buffer.get(), PyBUF_ANY_CONTIGUOUS) != 0) {
    throw py::error_already_set();
  }
  View view;
  view.buffer.reset(buffer.release());
  views_.push_back(std::move(view));
}

Result<void> HostArrays::CopyIn() {
  std::vector<View*> copies;
  for (View& view : views_) {
    const auto bytes = static_cast<uint64_t>(view.buffer->len);
    const bool reachable = bytes != 0 && (shared_ || !device_.Data(view.begin(), bytes).empty());
    view.address = view.begin();
    view.is_copy = !reachable;
    if (view.is_copy) copies.push_back(&view);
  }
  std::ranges::sort(copies, {}, [](const View* view) { return view->begin(); });
  for (size_t first = 0; first < copies.size();) {
    uint64_t end = copies[first]->end();
    size_t next = first + 1;
    while (next < copies.size() && copies[next]->begin() < end) {
      end = std::max(end, copies[next++]->end());
    }
    const auto copied = CopyIn({copies.begin() + static_cast<ptrdiff_t>(first),
                                copies.begin() + static_cast<ptrdiff_t>(next)});
    if (!copied) return copied;
    first = next;
  }
  return {};
}

Result<void> HostArrays::CopyIn(std::vector<View*> overlapping) {
  const uint64_t begin = overlapping.front()->begin();
  uint64_t end = begin;
  for (const View* view : overlapping) end = std::max(end, view->end());
  const auto address = device_.Allocate(end - begin);
  if (!address) return address.error();
  allocations_.push_back(*address);
  for (View* view : overlapping) {
    view->address = *address + (view->begin() - begin);
    std::memcpy(reinterpret_cast<void*>(view->address), view->buffer->buf,
                static_cast<size_t>(view->buffer->len));
  }
  return {};
}

void HostArrays::CopyOut() {
  for (const View& view : views_) {
    if (!view.is_copy || view.buffer->readonly != 0) continue;
    std::memcpy(view.buffer->buf, reinterpret_cast<const void*>(view.address),
                static_cast<size_t>(view.buffer->len));
  }
}

}  // namespace gcnjit::python
