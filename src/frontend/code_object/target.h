// Target IDs ("gfx906:sramecc-:xnack+") of code objects, and which of them fit a request.
// Source: LLVM AMDGPUUsage, "Target ID", "ELF Header", "Code Object V2 Note Records".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/processor.h"

namespace gcnjit::frontend {

// Processors whose code is executed, for messages.
inline constexpr std::string_view kEmulatedTargets =
    "gfx600-602, gfx700-705, gfx801-810, gfx900, gfx902, gfx906, gfx908, gfx90a, gfx942, "
    "gfx9-generic, gfx9-4-generic";

// Target ID of a code object v3 to v6, from the ELF header's e_flags. A processor that is not
// known by name gives "machine 0x..".
std::string TargetOfFlags(uint32_t e_flags, int version);

// Target ID of a code object v2, from its ISA version note (where the stepping also says xnack).
std::string TargetOfIsaVersion(uint32_t major, uint32_t minor, uint32_t stepping);

// As GenerationOfTarget, and of gfx9-generic and gfx9-4-generic, whose code is made to run on
// gfx900 and on gfx942 too.
std::optional<Generation> GenerationOfCodeObject(std::string_view target);

// What a code object for `target` is executed as on a device whose target ID is `device`: a feature
// that the code object does not name is the device's, and one that neither names is on. Code for a
// generic processor is executed as what the device is. nullopt: it is not emulated.
std::optional<Processor> ProcessorOfTarget(std::string_view target, std::string_view device = {});

// The target ID that means it: "gfx803", "gfx906:sramecc+".
std::string TargetOf(const Processor& processor);

// Is it of a generic processor, whose code several processors run?
bool IsGeneric(std::string_view target);

// Can code for `offered` serve a request for `wanted`? The processors must be equal, or the one
// offered be generic and made for the other, and no feature may be on in one and off in the other;
// a feature that one does not name goes with both.
bool TargetFits(std::string_view offered, std::string_view wanted);

}  // namespace gcnjit::frontend
