#include "runtime/hsa/status.h"

#include <map>

namespace gcnjit::hsa {

hsa_status_t StatusOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    case ErrorCode::kInvalidCodeObject: return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    case ErrorCode::kUnsupportedTarget: return HSA_STATUS_ERROR_INVALID_ISA;
    case ErrorCode::kNotFound: return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    case ErrorCode::kOutOfResources: return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    case ErrorCode::kUnsupported: return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    case ErrorCode::kTimeout: return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  return HSA_STATUS_ERROR;
}

hsa_status_t StatusOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kMemoryRead:
    case FaultKind::kMemoryWrite:
    case FaultKind::kInstructionFetch:
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_FAULT);
    case FaultKind::kMisaligned:
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION);
    case FaultKind::kIllegalInstruction:
    case FaultKind::kUnsupported:
    case FaultKind::kIllegalRegister:
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
    case FaultKind::kTrap:
    case FaultKind::kInstructionLimit: return HSA_STATUS_ERROR_EXCEPTION;
  }
  return HSA_STATUS_ERROR;
}

}  // namespace gcnjit::hsa

extern "C" hsa_status_t hsa_status_string(hsa_status_t status, const char** status_string) {
  // Never destroyed, like all that other threads may use while the process ends.
  static const auto& kTexts = *new std::map<int, const char*>{
      {HSA_STATUS_SUCCESS, "HSA_STATUS_SUCCESS: The function has been executed successfully."},
      {HSA_STATUS_INFO_BREAK, "HSA_STATUS_INFO_BREAK: A traversal was stopped by its callback."},
      {HSA_STATUS_ERROR, "HSA_STATUS_ERROR: A generic error has occurred."},
      {HSA_STATUS_ERROR_INVALID_ARGUMENT,
       "HSA_STATUS_ERROR_INVALID_ARGUMENT: One of the arguments is wrong."},
      {HSA_STATUS_ERROR_INVALID_QUEUE_CREATION,
       "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION: The agent has no queue of this type."},
      {HSA_STATUS_ERROR_INVALID_ALLOCATION,
       "HSA_STATUS_ERROR_INVALID_ALLOCATION: An allocation of this size is not possible."},
      {HSA_STATUS_ERROR_INVALID_AGENT, "HSA_STATUS_ERROR_INVALID_AGENT: There is no such agent."},
      {HSA_STATUS_ERROR_INVALID_REGION,
       "HSA_STATUS_ERROR_INVALID_REGION: There is no such memory region."},
      {HSA_STATUS_ERROR_INVALID_SIGNAL,
       "HSA_STATUS_ERROR_INVALID_SIGNAL: There is no such signal."},
      {HSA_STATUS_ERROR_INVALID_QUEUE, "HSA_STATUS_ERROR_INVALID_QUEUE: There is no such queue."},
      {HSA_STATUS_ERROR_OUT_OF_RESOURCES,
       "HSA_STATUS_ERROR_OUT_OF_RESOURCES: There is not enough memory or of another resource."},
      {HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
       "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT: The AQL packet is malformed."},
      {HSA_STATUS_ERROR_RESOURCE_FREE,
       "HSA_STATUS_ERROR_RESOURCE_FREE: A resource could not be released."},
      {HSA_STATUS_ERROR_NOT_INITIALIZED,
       "HSA_STATUS_ERROR_NOT_INITIALIZED: hsa_init has not been called."},
      {HSA_STATUS_ERROR_REFCOUNT_OVERFLOW,
       "HSA_STATUS_ERROR_REFCOUNT_OVERFLOW: hsa_init was called too often."},
      {HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
       "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS: The arguments do not go together."},
      {HSA_STATUS_ERROR_INVALID_INDEX, "HSA_STATUS_ERROR_INVALID_INDEX: The index is wrong."},
      {HSA_STATUS_ERROR_INVALID_ISA, "HSA_STATUS_ERROR_INVALID_ISA: There is no such ISA."},
      {HSA_STATUS_ERROR_INVALID_ISA_NAME,
       "HSA_STATUS_ERROR_INVALID_ISA_NAME: This is not the name of an ISA."},
      {HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
       "HSA_STATUS_ERROR_INVALID_CODE_OBJECT: The code object is malformed or not supported."},
      {HSA_STATUS_ERROR_INVALID_EXECUTABLE,
       "HSA_STATUS_ERROR_INVALID_EXECUTABLE: There is no such executable."},
      {HSA_STATUS_ERROR_FROZEN_EXECUTABLE,
       "HSA_STATUS_ERROR_FROZEN_EXECUTABLE: The executable is frozen."},
      {HSA_STATUS_ERROR_INVALID_SYMBOL_NAME,
       "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME: There is no symbol of this name."},
      {HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED,
       "HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED: The variable is defined already."},
      {HSA_STATUS_ERROR_VARIABLE_UNDEFINED,
       "HSA_STATUS_ERROR_VARIABLE_UNDEFINED: A variable is not defined."},
      {HSA_STATUS_ERROR_EXCEPTION,
       "HSA_STATUS_ERROR_EXCEPTION: A kernel raised an exception: a trap, or a barrier that its "
       "waves cannot meet at."},
      {HSA_STATUS_ERROR_INVALID_CODE_SYMBOL,
       "HSA_STATUS_ERROR_INVALID_CODE_SYMBOL: There is no such code symbol."},
      {HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL,
       "HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL: There is no such executable symbol."},
      {HSA_STATUS_ERROR_INVALID_FILE, "HSA_STATUS_ERROR_INVALID_FILE: The file cannot be read."},
      {HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER,
       "HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER: There is no such code object reader."},
      {HSA_STATUS_ERROR_INVALID_CACHE, "HSA_STATUS_ERROR_INVALID_CACHE: There is no such cache."},
      {HSA_STATUS_ERROR_INVALID_WAVEFRONT,
       "HSA_STATUS_ERROR_INVALID_WAVEFRONT: There is no such wavefront."},
      {HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP,
       "HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP: There is no such signal group."},
      {HSA_STATUS_ERROR_INVALID_RUNTIME_STATE,
       "HSA_STATUS_ERROR_INVALID_RUNTIME_STATE: The runtime is not in the state for this."},
      {HSA_STATUS_ERROR_FATAL, "HSA_STATUS_ERROR_FATAL: The queue cannot be used any more."},
      {HSA_STATUS_ERROR_INVALID_MEMORY_POOL,
       "HSA_STATUS_ERROR_INVALID_MEMORY_POOL: There is no such memory pool."},
      {HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
       "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: A kernel used an address in a way that its "
       "kind of memory does not have."},
      {HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
       "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: A kernel has an illegal instruction."},
      {HSA_STATUS_ERROR_MEMORY_FAULT,
       "HSA_STATUS_ERROR_MEMORY_FAULT: A kernel accessed memory that it does not have."},
      {HSA_STATUS_CU_MASK_REDUCED,
       "HSA_STATUS_CU_MASK_REDUCED: Some of the compute units asked for are not available."},
  };
  if (status_string == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto found = kTexts.find(status);
  if (found == kTexts.end()) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *status_string = found->second;
  return HSA_STATUS_SUCCESS;
}
