#include "harness/machine.h"

#include <xmmintrin.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace gcnjit::isa_tests {
namespace {

using frontend::Generation;
using runtime::GuestMemory;
using runtime::WaveState;

constexpr uint32_t kGdsBytes = 64 * 1024;
constexpr int kMaxSteps = 256;
// Of image resources: word 3's bits for a linear image, and bits 8 and up of an address.
constexpr std::string_view kLinear = "linear";
constexpr std::string_view kShifted = ">>8";

GuestMemory& Memory() {
  static const std::shared_ptr<GuestMemory> memory = GuestMemory::Reserve().value();
  return *memory;
}

}  // namespace

uint64_t NextRandom(uint64_t& state) {  // splitmix64
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

void SeedState(WaveState& state, uint64_t seed) {
  std::memset(&state, 0, sizeof(state));
  for (uint32_t& reg : state.sgpr) reg = static_cast<uint32_t>(NextRandom(seed));
  for (auto& reg : state.vgpr) {
    for (uint32_t& lane : reg) lane = static_cast<uint32_t>(NextRandom(seed));
  }
  state.scc = NextRandom(seed) & 1;
  state.sgpr[frontend::kCodeM0] = 0xFFFFFFFF;
  state.SetPair(frontend::kCodeExecLo, ~uint64_t{0});
  state.mode = 0x3C0;
  state.vgpr_count = state.acc_vgpr_count = runtime::kMaxVgprs;
}

int ScalarCode(const Place& place, Generation generation) {
  if (place.name.empty()) return place.first;
  const bool high = place.name.ends_with("_hi");
  if (place.name.starts_with("ttmp")) {
    int number = 0;
    std::from_chars(place.name.data() + 4, place.name.data() + place.name.size(), number);
    const bool gfx9 = frontend::IsGfx9(generation);
    if (!gfx9 && number >= 12) return -1;
    return (gfx9 ? 108 : 112) + number;
  }
  if (place.name.starts_with("flat_scratch")) {
    if (generation == Generation::kGfx6) return -1;
    const int low = frontend::IsGfx8Plus(generation) ? frontend::kCodeFlatScratchGfx8
                                                     : frontend::kCodeFlatScratchGfx7;
    return low + (high ? 1 : 0);
  }
  if (!frontend::IsGfx8Plus(generation)) return -1;  // xnack_mask
  return 104 + (high ? 1 : 0);
}

Machine::Machine(const frontend::Processor& processor, std::span<const uint32_t> code,
                 Substitution substitution, StepFunction step)
    : code_(code), substitution_(substitution), step_(std::move(step)), gds_(kGdsBytes) {
  code_address_ =
      Memory().Allocate(GuestMemory::kPageBytes, "code", GuestMemory::Access::kReadOnly).value();
  std::memcpy(reinterpret_cast<void*>(code_address_), code.data(), code.size_bytes());
  dispatch.memory = &Memory();
  dispatch.processor = processor;
  dispatch.gds = gds_.data();
  dispatch.wave_sync = &wave_sync_;
  dispatch.stop = &stop_;
  regions_["gds"] = {0, gds_.data(), kGdsBytes};
}

Machine::~Machine() {
  for (const auto& [name, region] : regions_) {
    if (region.address != 0) (void)Memory().Free(region.address);
  }
  (void)Memory().Free(code_address_);
}

Result<void> Machine::Declare(const Group& declared) {
  for (const Buffer& buffer : declared.buffers) {
    if (buffer.name == "gds") {
      if (buffer.bytes > kGdsBytes) {
        return Error{ErrorCode::kInvalidArgument, "GDS has 64 KiB"};
      }
    } else if (buffer.name == "lds") {
      lds_.resize(buffer.bytes);
      regions_["lds"] = {0, lds_.data(), buffer.bytes};
      group.lds = lds_.data();
      group.lds_bytes = buffer.bytes;
    } else {
      const auto access =
          buffer.readonly ? GuestMemory::Access::kReadOnly : GuestMemory::Access::kReadWrite;
      const Result<uint64_t> address = Memory().Allocate(buffer.bytes, buffer.name, access);
      if (!address) return address.error();
      regions_[buffer.name] = {address.value(), reinterpret_cast<std::byte*>(address.value()),
                               buffer.bytes};
    }
  }
  return {};
}

void Machine::Reset(const Group& declared) {
  std::fill(gds_.begin(), gds_.end(), std::byte{0});
  for (uint32_t n = 0; n < runtime::GlobalWaveSync::kResources; ++n) wave_sync_.Init(n, 0);
  for (const Buffer& buffer : declared.buffers) {
    Region region = regions_.at(buffer.name);
    region.size = buffer.bytes;  // of GDS only the declared beginning
    Fill(region, buffer.values);
  }
}

void Machine::Fill(const Region& region, const std::vector<Value>& values) {
  std::vector<uint32_t> dwords;
  for (const Value& value : values) {
    const uint64_t bits = value.bits + (value.symbol.empty() ? 0 : AddressOf(value.symbol));
    dwords.push_back(static_cast<uint32_t>(bits));
    if (value.is_qword) dwords.push_back(static_cast<uint32_t>(bits >> 32));
  }
  if (dwords.empty()) dwords.push_back(0);
  for (uint32_t at = 0; at < region.size; at += 4) {
    std::memcpy(region.bytes + at, &dwords[at / 4 % dwords.size()],
                std::min<uint32_t>(4, region.size - at));
  }
}

runtime::CodeSlot Machine::SlotAt(uint64_t offset) const {
  runtime::CodeSlot slot = runtime::DecodeSlot(dispatch.processor, code_.subspan(offset / 4));
  if (slot.status == frontend::DecodeStatus::kOk && slot.instruction.opcode == substitution_.from) {
    slot.function = runtime::ExecFunctionOf(substitution_.to);
    const frontend::OpcodeRow& row = frontend::RowOf(substitution_.to);
    slot.float_class = row.Has(frontend::FP32)   ? runtime::FloatClass::kF32
                       : row.Has(frontend::FP64) ? runtime::FloatClass::kF64F16
                                                 : runtime::FloatClass::kUnset;
  }
  return slot;
}

bool Machine::Run(runtime::Wave& wave, bool single) {
  const uint32_t host_mxcsr = _mm_getcsr();
  bool finished = single;
  for (int step = 0; step < kMaxSteps; ++step) {
    const uint64_t offset = wave.state.pc - code_address_;
    if (offset >= code_.size_bytes() || offset % 4 != 0) {
      finished = true;
      break;
    }
    step_(wave, SlotAt(offset));
    if (wave.event != runtime::WaveEvent::kNone) finished = true;
    if (finished) break;
  }
  _mm_setcsr(host_mxcsr);
  return finished;
}

uint64_t Machine::AddressOf(const std::string& symbol) const {
  if (symbol == kLinear) return frontend::IsGfx9(dispatch.processor.generation) ? 0 : 8 << 20;
  if (symbol.ends_with(kShifted)) {
    return AddressOf(symbol.substr(0, symbol.size() - kShifted.size())) >> 8;
  }
  return symbol == "code" ? code_address_ : regions_.at(symbol).address;
}

bool Machine::Knows(const std::string& symbol) const {
  if (symbol == "code" || symbol == kLinear) return true;
  if (symbol.ends_with(kShifted)) return Knows(symbol.substr(0, symbol.size() - kShifted.size()));
  const auto found = regions_.find(symbol);
  return found != regions_.end() && found->second.address != 0;
}

std::vector<uint32_t> Machine::Read(const std::string& name) const {
  const Region& region = regions_.at(name);
  std::vector<uint32_t> dwords((region.size + 3) / 4);
  std::memcpy(dwords.data(), region.bytes, region.size);
  return dwords;
}

std::vector<std::string> Machine::MemoryNames() const {
  std::vector<std::string> names;
  for (const auto& [name, region] : regions_) names.push_back(name);
  return names;
}

}  // namespace gcnjit::isa_tests
