// Calls the HSA library from a library of the name that AMD's OpenCL has.
#include <hsa/hsa.h>

extern "C" hsa_status_t AskAsOpenCl(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  // Volatile: not a tail call, which would return to this function's caller.
  volatile hsa_status_t status = hsa_agent_get_info(agent, attribute, value);
  return status;
}
