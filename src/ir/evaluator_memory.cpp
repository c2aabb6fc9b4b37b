// Memory operations of the evaluator.
#include "ir/evaluator_memory.h"

#include <algorithm>
#include <cstring>

#include "ir/evaluator_float.h"

namespace gcnjit::ir {
namespace {

constexpr uint32_t kMaxBytes = 16;
constexpr int kFirstData = 3;  // argument: after address and mask

template <typename T>
T Apply(MemoryAccess access, T old, T data, T data2) {
  using Signed = std::make_signed_t<T>;
  switch (access.atomic) {
    case AtomicOp::kSwap: return data;
    case AtomicOp::kCmpSwap: return old == data ? data2 : old;
    case AtomicOp::kAdd: return old + data;
    case AtomicOp::kSub: return old - data;
    case AtomicOp::kRevSub: return data - old;
    case AtomicOp::kMinS: return static_cast<Signed>(data) < static_cast<Signed>(old) ? data : old;
    case AtomicOp::kMinU: return std::min(data, old);
    case AtomicOp::kMaxS: return static_cast<Signed>(data) > static_cast<Signed>(old) ? data : old;
    case AtomicOp::kMaxU: return std::max(data, old);
    case AtomicOp::kAnd: return old & data;
    case AtomicOp::kOr: return old | data;
    case AtomicOp::kXor: return old ^ data;
    case AtomicOp::kInc: return old >= data ? 0 : old + 1;
    case AtomicOp::kDec: return old == 0 || old > data ? data : old - 1;
    case AtomicOp::kFAdd: return AtomicFloatAdd(access, old, data);
    case AtomicOp::kFMin: return AtomicFloatSelect(access, /*maximum=*/false, old, data);
    case AtomicOp::kFMax: return AtomicFloatSelect(access, /*maximum=*/true, old, data);
    case AtomicOp::kFCmpSwap: return AtomicFloatSwap(access, old, data, data2);
    case AtomicOp::kMaskedOr: return (old & ~data) | data2;
    case AtomicOp::kWrap: return old >= data ? old - data : old + data2;
  }
  return old;
}

struct Accessor {
  const EvaluatorAccess& a;
  const MemoryAccess access = a.inst.access();
  const uint32_t bytes = access.bytes;

  bool Active(int mask_argument, int lane) const {
    return ((*a.args[mask_argument])[lane] >> lane & 1) != 0;
  }
  uint64_t Arg(int n, int lane) const { return (*a.args[n])[lane]; }
  uint64_t Address(int lane) const {
    const auto offset = static_cast<uint64_t>(a.inst.imm);
    if (!access.indexed) return access.Wrapped((Arg(0, lane) | Arg(1, lane) << 32) + offset);
    const auto index = static_cast<uint32_t>(Arg(0, lane));
    const uint64_t extended =
        access.index_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(index)}) : index;
    return access.Wrapped(Arg(1, lane) + (extended << access.index_shift) + offset);
  }

  // What a lane stores: dwords from argument kFirstData on.
  void Gather(int lane, std::byte* data) const {
    for (int n = 0; n < access.Dwords(); ++n) {
      const auto dword = static_cast<uint32_t>(Arg(kFirstData + n, lane));
      std::memcpy(data + 4 * n, &dword, 4);
    }
  }
  // A loaded value becomes the lane's dwords or quadwords.
  void Scatter(int lane, const std::byte* data) const {
    if (access.quadwords) {
      for (int n = 0; n < access.Dwords(); n += 2) {
        std::memcpy(&a.dwords[n][lane], data + 4 * n, sizeof(uint64_t));
      }
      return;
    }
    for (int n = 0; n < access.Dwords(); ++n) {
      uint32_t dword = 0;
      std::memcpy(&dword, data + 4 * n, std::min(bytes, 4u));
      if (access.sign_extend && bytes == 1)
        dword = static_cast<uint32_t>(static_cast<int8_t>(dword));
      if (access.sign_extend && bytes == 2) {
        dword = static_cast<uint32_t>(static_cast<int16_t>(dword));
      }
      a.dwords[n][lane] = dword;
    }
  }
  uint64_t AtomicData(int operand, int lane) const {
    const int first = kFirstData + operand * access.Dwords();
    if (first >= a.inst.argument_count) return 0;
    if (bytes == 4) return Arg(first, lane);
    return Arg(first, lane) | Arg(first + 1, lane) << 32;
  }
  MemoryAccess AccessAt(uint64_t address) const {
    const bool may_differ = access.space == Space::kFlat && a.state.flat_atomic;
    return may_differ ? a.state.flat_atomic(access, address) : access;
  }
  uint64_t Updated(const MemoryAccess& atomic, int lane, uint64_t old) const {
    const uint64_t data = AtomicData(0, lane);
    const uint64_t data2 = AtomicData(1, lane);
    if (bytes == 8) return Apply<uint64_t>(atomic, old, data, data2);
    return Apply<uint32_t>(atomic, static_cast<uint32_t>(old), static_cast<uint32_t>(data),
                           static_cast<uint32_t>(data2));
  }
  EvaluatorFault Fault(int lane, uint64_t address, bool is_write, bool misaligned = false) const {
    return {lane, address, bytes, is_write, misaligned, a.inst.guest};
  }
  bool Transfer(int lane, uint64_t address, void* data, bool is_write) const {
    if (access.space == Space::kFlat && a.state.flat) {
      return a.state.flat(lane, address, data, bytes, is_write);
    }
    return a.state.memory && a.state.memory(address, data, bytes, is_write);
  }
};

}  // namespace

std::optional<EvaluatorFault> EvaluateGlobalAccess(const EvaluatorAccess& a) {
  const Accessor at{a};
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!at.Active(2, lane)) continue;
    const uint64_t address = at.Address(lane);
    std::byte data[kMaxBytes] = {};
    if (a.inst.op == Op::kLoad) {
      if (!at.Transfer(lane, address, data, false)) return at.Fault(lane, address, false);
      at.Scatter(lane, data);
    } else if (a.inst.op == Op::kStore) {
      at.Gather(lane, data);
      if (!at.Transfer(lane, address, data, true)) return at.Fault(lane, address, true);
    } else {
      if (address % at.bytes != 0) return at.Fault(lane, address, true, /*misaligned=*/true);
      if (!at.Transfer(lane, address, data, false)) return at.Fault(lane, address, true);
      at.Scatter(lane, data);
      uint64_t value = 0;
      std::memcpy(&value, data, at.bytes);
      value = at.Updated(at.AccessAt(address), lane, value);
      if (!at.Transfer(lane, address, &value, true)) return at.Fault(lane, address, true);
    }
  }
  return std::nullopt;
}

std::optional<EvaluatorFault> EvaluateSwizzledAccess(const EvaluatorAccess& a) {
  const Accessor at{a};
  const bool is_store = a.inst.op == Op::kStoreSwizzled;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!at.Active(2, lane)) continue;
    const SwizzledPlace place = SwizzledPlace::Unpack(static_cast<uint32_t>(at.Arg(3, lane)));
    // As large as what any access scatters, or GCC warns where it is told to check sizes.
    uint64_t value = is_store ? static_cast<uint32_t>(at.Arg(4, lane)) : 0;
    auto* const data = reinterpret_cast<std::byte*>(&value);
    const uint32_t step = place.IsApart(at.bytes) ? 1 : at.bytes;
    for (uint32_t n = 0; n < at.bytes; n += step) {
      const uint64_t address = at.Address(lane) + place.OffsetOf(n);
      if (!a.state.memory || !a.state.memory(address, data + n, step, is_store)) {
        return EvaluatorFault{lane, address, step, is_store, false, a.inst.guest};
      }
    }
    if (!is_store) at.Scatter(lane, data);
  }
  return std::nullopt;
}

namespace {

// Where in LDS the lane's access is; nullptr if it does not lie there.
std::byte* LdsAddress(const Accessor& at, int lane) {
  const auto address =
      static_cast<uint32_t>(at.Arg(0, lane) + static_cast<uint64_t>(at.a.inst.imm));
  const uint64_t limit = std::min<uint64_t>(at.a.state.lds_bytes, at.Arg(2, lane));
  return uint64_t{address} + at.bytes <= limit ? at.a.state.lds + address : nullptr;
}

}  // namespace

void EvaluateLdsLoadOrStore(const EvaluatorAccess& a) {
  const Accessor at{a};
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!at.Active(1, lane)) continue;
    std::byte* memory = LdsAddress(at, lane);
    if (memory == nullptr) continue;
    if (a.inst.op == Op::kLoadLds) {
      at.Scatter(lane, memory);
    } else {
      std::byte data[kMaxBytes];
      at.Gather(lane, data);
      std::memcpy(memory, data, at.bytes);
    }
  }
}

std::optional<EvaluatorFault> EvaluateLdsAtomic(const EvaluatorAccess& a) {
  const Accessor at{a};
  std::array<std::byte*, kLanes> accessed{};  // of active lanes that lie in LDS
  // A misaligned lane faults before any other has done something.
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!at.Active(1, lane)) continue;
    accessed[lane] = LdsAddress(at, lane);
    if (accessed[lane] == nullptr) continue;
    const auto address = static_cast<uint64_t>(accessed[lane] - a.state.lds);
    if (address % at.bytes != 0) return at.Fault(lane, address, true, /*misaligned=*/true);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    std::byte* memory = accessed[lane];
    if (memory == nullptr) continue;
    at.Scatter(lane, memory);
    uint64_t value = 0;
    std::memcpy(&value, memory, at.bytes);
    value = at.Updated(at.access, lane, value);
    std::memcpy(memory, &value, at.bytes);
  }
  return std::nullopt;
}

std::optional<EvaluatorFault> EvaluateScalarLoad(const EvaluatorAccess& a) {
  const uint64_t address = (*a.args[0])[0] + static_cast<uint64_t>(a.inst.imm);
  uint32_t data[kMaxDwords];
  const uint32_t bytes = a.inst.aux * 4;
  if (!a.state.memory || !a.state.memory(address, data, bytes, /*is_write=*/false)) {
    return EvaluatorFault{-1, address, bytes, false, false, a.inst.guest};
  }
  for (uint32_t n = 0; n < a.inst.aux; ++n) a.dwords[n].fill(data[n]);
  return std::nullopt;
}

}  // namespace gcnjit::ir
