// HSA status codes for our errors, and the shape of every entry point.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "gcnjit/error.h"
#include "gcnjit/launch.h"
#include "runtime/hsa/runtime.h"

namespace gcnjit::hsa {

// The number of an attribute. It is not read as what it is declared to be: AMD's attributes are
// beyond the range of HSA's enumerations.
template <typename Attribute>
uint32_t NumberOf(const Attribute& attribute) {
  uint32_t number;
  static_assert(sizeof number == sizeof attribute);
  std::memcpy(&number, &attribute, sizeof number);
  return number;
}

hsa_status_t StatusOf(const Error& error);
// What a queue's error callback is told of a kernel that faulted.
hsa_status_t StatusOf(FaultKind kind);

// Runs the body of an entry point: not before hsa_init, and no exception leaves it.
template <typename Body>
hsa_status_t Guarded(Body&& body) noexcept {
  Runtime* runtime = Runtime::Open();
  if (runtime == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  try {
    return body(*runtime);
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (...) {
    return HSA_STATUS_ERROR;
  }
}

// Stores an attribute where the caller wants it, with the attribute's type.
template <typename T>
hsa_status_t Put(void* to, const T& value) {
  *static_cast<T*>(to) = value;
  return HSA_STATUS_SUCCESS;
}

}  // namespace gcnjit::hsa
