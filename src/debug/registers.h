// Registers of a wave by the names that assembly has for them, and numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/generation.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::debug {

enum class RegisterKind : uint8_t { kScalar, kVector, kPc, kScc, kMode };

struct RegisterName {
  RegisterKind kind = RegisterKind::kScalar;
  uint32_t first = 0;  // operand code, or number of a vector register
  uint32_t count = 1;  // of 32 bits each
};

// "s3", "s[4:5]", "v2", "v[2:3]", "a1", "vcc", "exec_lo", "m0", "flat_scratch", "pc", "scc",
// "mode". Nothing: the generation has none of that name.
std::optional<RegisterName> ParseRegister(std::string_view text, frontend::Generation generation);
// False: the wave has not got all of it.
bool Has(const runtime::WaveState& wave, const RegisterName& name);
// 32 bits each; of vector registers those of a lane.
std::vector<uint32_t> ValuesOf(const runtime::WaveState& wave, const RegisterName& name, int lane);
// As many values as the register has; of vector registers those of a lane.
void SetValues(runtime::WaveState& wave, const RegisterName& name, int lane,
               std::span<const uint32_t> values);

enum class NumberFormat : uint8_t { kHex, kU32, kI32, kF32, kU64, kI64, kF64, kU8 };
// "hex", "u32", "f64" and so on.
std::optional<NumberFormat> ParseNumberFormat(std::string_view text);
// Bytes of a number.
size_t BytesOf(NumberFormat format);
// The shortest text that reads as the same number.
std::string NumberText(uint64_t bits, NumberFormat format);
// The most characters that NumberText needs for most numbers.
int WidthOf(NumberFormat format);
// Of the bytes, as many numbers as there are whole ones.
std::vector<std::string> NumberTexts(const std::byte* bytes, size_t size, NumberFormat format);

// "none", "0-31", "0, 5, 8-11".
std::string LanesText(uint64_t mask);

}  // namespace gcnjit::debug
