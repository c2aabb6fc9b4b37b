// Entry points: instruction sets. Each GPU agent has one.
#include <cstring>
#include <string_view>

#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

namespace {

hsa_status_t GetInfo(const GpuModel& model, hsa_isa_info_t attribute, void* value) {
  switch (attribute) {
    case HSA_ISA_INFO_NAME_LENGTH:
      return Put<uint32_t>(value, static_cast<uint32_t>(std::strlen(model.isa) + 1));
    case HSA_ISA_INFO_NAME:
      std::memcpy(value, model.isa, std::strlen(model.isa) + 1);
      return HSA_STATUS_SUCCESS;
    case HSA_ISA_INFO_CALL_CONVENTION_COUNT: return Put<uint32_t>(value, 1);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE: return Put<uint32_t>(value, kWaveSize);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
      return Put<uint32_t>(value, 40);
    // Arrays of flags by number: the large model; the base profile, for gfx701 the full one too.
    case HSA_ISA_INFO_MACHINE_MODELS: {
      const bool models[2] = {false, true};
      std::memcpy(value, models, sizeof models);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_ISA_INFO_PROFILES: {
      const bool profiles[2] = {true, model.profile == HSA_PROFILE_FULL};
      std::memcpy(value, profiles, sizeof profiles);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: {
      const bool modes[3] = {false, false, true};  // to nearest
      std::memcpy(value, modes, sizeof modes);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_ISA_INFO_FAST_F16_OPERATION: return Put<bool>(value, true);
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM: {
      const uint16_t most[3] = {kMaxGroupSize, kMaxGroupSize, kMaxGroupSize};
      std::memcpy(value, most, sizeof most);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE: return Put<uint32_t>(value, kMaxGroupSize);
    case HSA_ISA_INFO_GRID_MAX_DIM: return Put(value, hsa_dim3_t{INT32_MAX, INT32_MAX, INT32_MAX});
    case HSA_ISA_INFO_GRID_MAX_SIZE: return Put<uint64_t>(value, UINT64_MAX);
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE: return Put<uint32_t>(value, 32);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t GetInfo(hsa_isa_t handle, hsa_isa_info_t attribute, void* value) {
  return Guarded([&](Runtime& runtime) {
    const GpuModel* model = runtime.Find(handle);
    if (model == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : GetInfo(*model, attribute, value);
  });
}

}  // namespace

extern "C" hsa_status_t hsa_agent_iterate_isas(hsa_agent_t handle,
                                               hsa_status_t (*callback)(hsa_isa_t, void*),
                                               void* data) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.Find(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return agent->gpu == nullptr ? HSA_STATUS_SUCCESS : callback(agent->isa(), data);
  });
}

extern "C" hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa) {
  return Guarded([&](Runtime& runtime) {
    if (name == nullptr || isa == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const Agent& agent : runtime.agents()) {
      if (agent.gpu == nullptr || std::string_view(agent.gpu->isa) != name) continue;
      *isa = agent.isa();
      return HSA_STATUS_SUCCESS;
    }
    return HSA_STATUS_ERROR_INVALID_ISA_NAME;
  });
}

extern "C" hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index,
                                         void* value) {
  if (index != 0) return HSA_STATUS_ERROR_INVALID_INDEX;
  return GetInfo(isa, attribute, value);
}

extern "C" hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  return GetInfo(isa, attribute, value);
}

extern "C" hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t,
                                                       uint16_t* mask) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(isa) == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    return mask == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : Put<uint16_t>(mask, 0);
  });
}

extern "C" hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t, hsa_flush_mode_t,
                                                 hsa_round_method_t* method) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(isa) == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    return method == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                             : Put(method, HSA_ROUND_METHOD_SINGLE);
  });
}

extern "C" hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa,
                                                   hsa_status_t (*callback)(hsa_wavefront_t, void*),
                                                   void* data) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(isa) == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return callback({isa.handle}, data);  // an ISA has one kind of wavefront
  });
}

extern "C" hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront,
                                               hsa_wavefront_info_t attribute, void* value) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(hsa_isa_t{wavefront.handle}) == nullptr) {
      return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
    }
    if (value == nullptr || attribute != HSA_WAVEFRONT_INFO_SIZE) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return Put<uint32_t>(value, kWaveSize);
  });
}

extern "C" hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa,
                                           bool* result) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(code_object_isa) == nullptr || runtime.Find(agent_isa) == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ISA;
    }
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return Put<bool>(result, code_object_isa.handle == agent_isa.handle);
  });
}
