// The graphics processors that can be announced to a host program, and what is said of them.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/generation.h"

namespace gcnjit::hsa {

struct GpuModel {
  const char* processor;  // "gfx900"
  const char* isa;        // the one ISA of its agent, with target features as HIP's libraries ask
  const char* product_name;  // of a card that has it
  uint32_t chip_id;          // PCI device id
  hsa_profile_t profile;

  std::string_view target() const;  // "gfx900:xnack-"
  frontend::Generation generation() const;
};

// `target`: a processor's name, or a target ID that may leave features out. Null: there is no such
// model.
const GpuModel* FindGpuModel(std::string_view target);
// "gfx701, gfx803, ...".
std::string GpuModelNames();

}  // namespace gcnjit::hsa
