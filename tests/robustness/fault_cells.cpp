#include "robustness/fault_cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracle/scopes.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;

constexpr uint64_t kApertureOfLds = uint64_t{0x00010000} << 32;
constexpr uint64_t kApertureOfScratch = uint64_t{0x00020000} << 32;
// Aligned, and far enough from the end of what is allocated for the largest access.
constexpr uint64_t kRestOfLds = kFrameAllocatedLdsBytes - 16;
static_assert(kRestOfLds >= kFrameLdsBytes);

struct Width {
  const char* suffix;
  uint32_t bytes;
  const char* data;  // registers
};
constexpr Width kLoads[] = {{"ubyte", 1, "v8"},         {"sshort", 2, "v8"},
                            {"dword", 4, "v8"},         {"dwordx2", 8, "v[8:9]"},
                            {"dwordx3", 12, "v[8:10]"}, {"dwordx4", 16, "v[8:11]"}};
constexpr Width kStores[] = {{"byte", 1, "v8"},          {"short", 2, "v8"},
                             {"dword", 4, "v8"},         {"dwordx2", 8, "v[8:9]"},
                             {"dwordx3", 12, "v[8:10]"}, {"dwordx4", 16, "v[8:11]"}};

class List {
 public:
  explicit List(Generation g) : g_(g) {}

  std::vector<Access> Take() {
    if (g_ != Generation::kGfx6) {
      AddPointer(Unit::kFlat, "flat", "v[2:3]", "");
    }
    if (frontend::IsGfx9(g_)) AddPointer(Unit::kGlobal, "global", "v[2:3]", ", off");
    AddPointer(Unit::kBuffer, "buffer", "v12, s[24:27], 0 offen", "");
    if (!frontend::IsGfx8Plus(g_)) {
      AddPointer(Unit::kBufferAddr64, "buffer", "v[2:3], s[24:27], 0 addr64", "");
    }
    if (frontend::IsGfx9(g_)) AddScratch();
    AddShare();
    AddScalar();
    Add({Unit::kFetch, "s_setpc_b64 s[16:17]", 4});
    Add({Unit::kFetch, "s_swappc_b64 s[50:51], s[16:17]", 4});
    return std::move(list_);
  }

 private:
  void Add(Access access) {
    if (Has(g_, frontend::kGfx942Isa)) access.text = oracle::WithScopes(access.text);
    list_.push_back(std::move(access));
  }

  // Vector memory. `address`: the operand; `end`: what comes last in the text.
  void AddPointer(Unit unit, const char* prefix, const std::string& address, const char* end) {
    const bool is_buffer = unit == Unit::kBuffer || unit == Unit::kBufferAddr64;
    const auto with_data = [&](const char* mnemonic, const char* data, const char* flags = "") {
      // Pointers stand before the data that is stored, resources after it.
      const std::string operands = is_buffer ? fmt::format("{}, {}", data, address)
                                             : fmt::format("{}, {}{}", address, data, end);
      return fmt::format("{}_{} {}{}", prefix, mnemonic, operands, flags);
    };
    for (const Width& w : kLoads) {
      if (w.bytes == 12 && g_ == Generation::kGfx6) continue;
      const std::string text =
          fmt::format("{}_load_{} {}, {}{}", prefix, w.suffix, w.data, address, end);
      Add({unit, text, w.bytes});
      if (w.bytes == 4) Add({unit, text, w.bytes, false, false, /*loops=*/true});
    }
    for (const Width& w : kStores) {
      if (w.bytes == 12 && g_ == Generation::kGfx6) continue;
      const std::string text = with_data(fmt::format("store_{}", w.suffix).c_str(), w.data);
      Add({unit, text, w.bytes, true});
      if (w.bytes == 4) Add({unit, text, w.bytes, true, false, /*loops=*/true});
    }
    Add({unit, with_data("atomic_add", "v8"), 4, true, true});
    Add({unit, with_data("atomic_umax_x2", "v[8:9]"), 8, true, true});
    Add({unit, with_data("atomic_cmpswap", "v[8:9]"), 4, true, true});
    if (is_buffer) {
      Add({unit, with_data("atomic_swap", "v8", " glc"), 4, true, true});
    } else {
      Add({unit, fmt::format("{}_atomic_swap v8, {}, v9{} glc", prefix, address, end), 4, true,
           true});
    }
  }

  void AddScratch() {
    Add({Unit::kScratch, "scratch_load_ubyte v8, v13, off", 1});
    Add({Unit::kScratch, "scratch_load_dword v8, v13, off", 4});
    Add({Unit::kScratch, "scratch_load_dwordx2 v[8:9], v13, off", 8});
    Add({Unit::kScratch, "scratch_store_dword v13, v8, off", 4, true});
    Add({Unit::kScratch, "scratch_store_dwordx4 v13, v[8:11], off", 16, true});
  }

  void AddShare() {
    Add({Unit::kShare, "ds_read_u8 v8, v13", 1});
    Add({Unit::kShare, "ds_read_u16 v8, v13", 2});
    Add({Unit::kShare, "ds_read_b32 v8, v13", 4});
    Add({Unit::kShare, "ds_read_b64 v[8:9], v13", 8});
    Add({Unit::kShare, "ds_write_b8 v13, v8", 1, true});
    Add({Unit::kShare, "ds_write_b32 v13, v8", 4, true});
    Add({Unit::kShare, "ds_write_b64 v13, v[8:9]", 8, true});
    if (g_ != Generation::kGfx6) {
      Add({Unit::kShare, "ds_read_b128 v[8:11], v13", 16});
      Add({Unit::kShare, "ds_write_b128 v13, v[8:11]", 16, true});
    }
    Add({Unit::kShare, "ds_add_u32 v13, v8", 4, true, true});
    Add({Unit::kShare, "ds_max_rtn_u32 v8, v13, v9", 4, true, true});
    Add({Unit::kShare, "ds_add_u64 v13, v[8:9]", 8, true, true});
  }

  void AddScalar() {
    struct Multiple {
      const char* suffix;
      uint32_t dwords;
      const char* registers;
    };
    constexpr Multiple kMultiples[] = {{"dword", 1, "s52"},
                                       {"dwordx2", 2, "s[52:53]"},
                                       {"dwordx4", 4, "s[52:55]"},
                                       {"dwordx8", 8, "s[52:59]"},
                                       {"dwordx16", 16, "s[52:67]"}};
    for (const Multiple& m : kMultiples) {
      Add({Unit::kScalar, fmt::format("s_load_{} {}, s[44:45], 0x0", m.suffix, m.registers),
           m.dwords * 4});
      Add({Unit::kScalar, fmt::format("s_buffer_load_{} {}, s[44:47], 0x0", m.suffix, m.registers),
           m.dwords * 4});
      if (!frontend::IsGfx8Plus(g_) || m.dwords > 4) continue;
      Add({Unit::kScalar, fmt::format("s_store_{} {}, s[44:45], 0x0", m.suffix, m.registers),
           m.dwords * 4, true});
      Add({Unit::kScalar, fmt::format("s_buffer_store_{} {}, s[44:47], 0x0", m.suffix, m.registers),
           m.dwords * 4, true});
    }
    if (!frontend::IsGfx9(g_)) return;
    Add({Unit::kScalar, "s_atomic_add s52, s[44:45], 0x0", 4, true, true});
    Add({Unit::kScalar, "s_atomic_add_x2 s[52:53], s[44:45], 0x0", 8, true, true});
  }

  const Generation g_;
  std::vector<Access> list_;
};

bool IsScalarBuffer(const Access& access) { return access.text.starts_with("s_buffer"); }

std::string AtOffset(uint64_t offset) {
  return fmt::format("at offset {},{:03} of the 8,192-byte allocation 'buffer'", offset / 1000,
                     offset % 1000);
}

// What of the address is used: the low bits are ignored by scalar accesses (GCN3 and Vega manuals,
// "Scalar memory"), by buffer accesses of gfx6 and by LDS before gfx9; addr64 adds up 48 bits.
uint64_t Effective(const Access& access, Generation g, uint64_t address) {
  switch (access.unit) {
    case Unit::kScalar: return address & ~uint64_t{3};
    case Unit::kBufferAddr64: address &= 0xFFFFFFFFFFFF; [[fallthrough]];
    case Unit::kBuffer:
      return g == Generation::kGfx6 ? address & ~uint64_t{std::min(access.bytes, 4u) - 1} : address;
    default: return address;
  }
}

}  // namespace

std::vector<Access> AccessesOf(Generation generation) { return List(generation).Take(); }

const char* NameOf(Place place) {
  switch (place) {
    case Place::kNull: return "null";
    case Place::kUnmapped: return "unmapped";
    case Place::kPastEnd: return "past the end";
    case Place::kStraddling: return "straddling the end";
    case Place::kMisaligned: return "misaligned";
    case Place::kOver48Bits: return "over 48 bits";
    case Place::kNegative: return "negative";
    case Place::kFreed: return "freed";
    case Place::kPrivate: return "beyond scratch";
    case Place::kShared: return "beyond LDS, flat";
    case Place::kRestOfLds: return "rest of the last block of LDS";
    case Place::kKernarg: return "kernel arguments";
    case Place::kOutOfRange: return "out of the resource's range";
    case Place::kCode: return "code";
  }
  return "?";
}

std::optional<uint64_t> AddressOf(const Access& access, Place place, Generation g,
                                  const Memory& memory) {
  const uint64_t end = memory.good + kGoodBytes;
  const bool is_flat = access.unit == Unit::kFlat;
  const bool is_share = access.unit == Unit::kShare;
  const bool is_buffer = access.unit == Unit::kBuffer;
  if (access.loops && place != Place::kPastEnd) return std::nullopt;
  if (access.unit == Unit::kScratch) {
    return place == Place::kPrivate ? std::optional(1 << 20) : std::nullopt;
  }
  if (is_share) {
    switch (place) {
      case Place::kPastEnd: return kFrameAllocatedLdsBytes;
      case Place::kStraddling:
        if (access.bytes == 1) return std::nullopt;
        return kFrameAllocatedLdsBytes - access.bytes / 2;
      case Place::kMisaligned: return 1;
      case Place::kNegative: return 0xFFFFFFF0;
      case Place::kRestOfLds: return kRestOfLds;
      default: return std::nullopt;
    }
  }
  switch (place) {
    case Place::kNull: return 0;
    case Place::kUnmapped: return end + kIntoGap;
    case Place::kPastEnd: return end;
    case Place::kStraddling:
      if (access.bytes == 1 || access.unit == Unit::kFetch) return std::nullopt;
      return end - access.bytes / 2;
    case Place::kMisaligned: return memory.good + 1;
    case Place::kOver48Bits:
      // A resource has 48 address bits; the rest of the dword is something else.
      if (is_buffer || IsScalarBuffer(access)) return std::nullopt;
      return 0x1234'5678'9ABC'DEF0;
    case Place::kNegative:
      if (is_buffer || IsScalarBuffer(access)) return std::nullopt;
      return 0xFFFF'FFFF'FFFF'FFF0;
    case Place::kFreed: return memory.freed + kFreedBytes - 4096;
    case Place::kPrivate:
      if (is_buffer) return 1 << 20;
      if (!is_flat) return std::nullopt;
      return kApertureOfScratch + (frontend::IsGfx9(g) ? 1 << 20 : 64);
    case Place::kShared:
      if (!is_flat) return std::nullopt;
      return kApertureOfLds + kFrameAllocatedLdsBytes;
    case Place::kRestOfLds:
      return is_flat ? std::optional(kApertureOfLds + kRestOfLds) : std::nullopt;
    case Place::kKernarg: return 0;  // the kernel knows
    case Place::kOutOfRange:
      return is_buffer ? std::optional(memory.good + kGoodBytes / 2) : std::nullopt;
    case Place::kCode:
      return access.unit == Unit::kFetch ? std::nullopt : std::optional(memory.code);
  }
  return std::nullopt;
}

std::optional<Expected> ExpectedOf(const Access& access, Place place, Generation g, int lane,
                                   uint64_t address, const Memory& memory) {
  const FaultKind kind = access.unit == Unit::kFetch ? FaultKind::kInstructionFetch
                         : access.is_store           ? FaultKind::kMemoryWrite
                                                     : FaultKind::kMemoryRead;
  const bool gfx9 = frontend::IsGfx9(g);
  if (access.unit == Unit::kFetch) {
    // There is no code anywhere but in the kernel.
    return Expected{kind, address, 4, place == Place::kKernarg ? "'kernel arguments'" : ""};
  }
  if (access.unit == Unit::kShare) {
    // Beyond LDS: loads give 0, nothing is stored. Atomics need alignment on gfx9.
    if (!access.is_atomic || !gfx9 || place != Place::kMisaligned) return std::nullopt;
    return Expected{FaultKind::kMisaligned, address, access.bytes, ""};
  }
  if (place == Place::kPrivate) {
    if (access.unit == Unit::kBuffer) {
      // The scratch resource adds the lane's number, and gfx9 then checks no range.
      if (!gfx9) return std::nullopt;
      // The lanes' dwords follow each other, so that only every other lane's is aligned to 8 bytes.
      if (access.is_atomic && access.bytes == 8 && lane % 2 != 0) {
        return Expected{FaultKind::kMisaligned, 0, access.bytes, ""};
      }
      return Expected{kind, 0, access.is_atomic ? access.bytes : std::min(access.bytes, 4u), ""};
    }
    if (access.is_atomic) return Expected{FaultKind::kUnsupported, 0, 0, ""};
    if (gfx9) return Expected{kind, 0, std::min(access.bytes, 4u), ""};
    return Expected{kind, address, access.bytes, ""};
  }
  if (place == Place::kOutOfRange || place == Place::kRestOfLds) return std::nullopt;
  if (place == Place::kKernarg) {
    if (!access.is_store) return std::nullopt;
    const uint32_t bytes = IsScalarBuffer(access) ? 4 : access.bytes;
    return Expected{kind, 0, bytes, "at offset 0 of the 64-byte allocation 'kernel arguments'"};
  }
  if (place == Place::kCode) {
    if (!access.is_store) return std::nullopt;
    const uint32_t bytes = IsScalarBuffer(access) ? 4 : access.bytes;
    return Expected{kind, address, bytes, "in a page with code, which is read-only"};
  }
  const uint64_t at = Effective(access, g, address);
  const uint64_t end = memory.good + kGoodBytes;
  const bool begins_inside = at >= memory.good && at < end;
  if (access.is_atomic && at % access.bytes != 0) {
    return Expected{FaultKind::kMisaligned, at, access.bytes,
                    begins_inside ? "8,192-byte allocation 'buffer'" : ""};
  }
  if (begins_inside && at + access.bytes <= end) return std::nullopt;
  Expected expected{kind, at, access.bytes, ""};
  if (IsScalarBuffer(access)) {
    // Dword by dword.
    expected.bytes = 4;
    if (begins_inside) expected.address = end;
  }
  if (place == Place::kNull) expected.nearest = "0 bytes past the null pointer";
  if (place == Place::kUnmapped) {
    expected.nearest = "16,384 bytes past the end of the 8,192-byte allocation 'buffer'";
  }
  if (expected.address == end) {
    expected.nearest = "0 bytes past the end of the 8,192-byte allocation 'buffer'";
  } else if (begins_inside) {
    expected.nearest = AtOffset(at - memory.good);
  }
  return expected;
}

}  // namespace gcnjit::robustness
