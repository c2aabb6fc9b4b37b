// Atomic operations: what each does to a value, once, and how it is done on host memory. Shared by
// DS, MUBUF, FLAT and GLOBAL.
//
// An operation is an object with T operator()(T old, T data, T data2); data2 is the second data
// operand (comparison value of CMPSWAP). Sources: CLRX GcnInstrsDs.md, GcnInstrsMubuf.md,
// GcnInstrsFlat.md; Vega manual as quoted in gem5 ds.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "runtime/interpreter/float_bits.h"
#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/wave.h"
#include "runtime/memory/host_memory.h"

namespace gcnjit::runtime {

template <typename T>
using SignedOf = std::make_signed_t<T>;

// clang-format off
struct AtomicSwap { template <typename T> T operator()(T, T data, T) const { return data; } };
struct AtomicAdd  { template <typename T> T operator()(T old, T data, T) const { return old + data; } };
struct AtomicSub  { template <typename T> T operator()(T old, T data, T) const { return old - data; } };
struct AtomicRsub { template <typename T> T operator()(T old, T data, T) const { return data - old; } };
struct AtomicAnd  { template <typename T> T operator()(T old, T data, T) const { return old & data; } };
struct AtomicOr   { template <typename T> T operator()(T old, T data, T) const { return old | data; } };
struct AtomicXor  { template <typename T> T operator()(T old, T data, T) const { return old ^ data; } };
struct AtomicUmin { template <typename T> T operator()(T old, T data, T) const { return data < old ? data : old; } };
struct AtomicUmax { template <typename T> T operator()(T old, T data, T) const { return data > old ? data : old; } };
struct AtomicInc  { template <typename T> T operator()(T old, T data, T) const { return old >= data ? 0 : old + 1; } };
struct AtomicDec  { template <typename T> T operator()(T old, T data, T) const { return old == 0 || old > data ? data : old - 1; } };
// (old & ~mask) | bits
struct AtomicMskor { template <typename T> T operator()(T old, T data, T data2) const { return (old & ~data) | data2; } };
// Ring counter: subtract data if that does not wrap, else add data2.
struct AtomicWrap { template <typename T> T operator()(T old, T data, T data2) const { return old >= data ? old - data : old + data2; } };
// BUFFER_ and FLAT_ATOMIC_CMPSWAP: data is the new value, data2 the comparison value.
struct AtomicCmpSwap { template <typename T> T operator()(T old, T data, T data2) const { return old == data2 ? data : old; } };
// DS_CMPST: the other way round.
struct AtomicCmpStore { template <typename T> T operator()(T old, T data, T data2) const { return old == data ? data2 : old; } };
// clang-format on

struct AtomicSmin {
  template <typename T>
  T operator()(T old, T data, T) const {
    return static_cast<SignedOf<T>>(data) < static_cast<SignedOf<T>>(old) ? data : old;
  }
};
struct AtomicSmax {
  template <typename T>
  T operator()(T old, T data, T) const {
    return static_cast<SignedOf<T>>(data) > static_cast<SignedOf<T>>(old) ? data : old;
  }
};

// ---- Floating point, on bit patterns so that MXCSR does not matter.

template <typename T>
using FloatFormat = Format<std::conditional_t<sizeof(T) == 8, double, float>>;

// In LDS MODE says whether denormals are zeros to comparisons.
template <typename T>
inline bool FlushesInLds(const Wave& w) {
  return (sizeof(T) == 8 ? Denormals64(w) : Denormals32(w)).flush_inputs;
}

// Ascending with the value; -0 before +0. Not for NaNs.
template <typename T>
inline T OrderKey(T bits) {
  constexpr T kSign = FloatFormat<T>::kSign;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// Minimum and maximum. A signalling NaN gives itself, quieted; of a quiet NaN and a number, the
// number; -0 is less than +0; the result is one of the operands unmodified, even where denormals
// are flushed for the comparison. Sources: CDNA3 ISA 9.2.3 "NaN handling"; LLVM selects ds_min_f32
// for atomicrmw fmin, whose result is that of llvm.minnum. The Vega and Sea Islands manuals only
// say
// "(D0 < DS[A]) ? D0 : DS[A]; handles NaN/INF/denorm".
template <bool kMaximum>
struct AtomicFloatSelect {
  bool flush = false;  // compare denormals as zeros
  template <typename T>
  AtomicFloatSelect InLds(const Wave& w) const {
    return {FlushesInLds<T>(w)};
  }
  template <typename T>
  T operator()(T old, T data, T) const {
    using F = FloatFormat<T>;
    if (F::IsSignallingNan(old)) return old | F::kQuiet;
    if (F::IsSignallingNan(data)) return data | F::kQuiet;
    if (F::IsNan(data)) return old;
    if (F::IsNan(old)) return data;
    const T old_key = OrderKey(flush ? F::FlushDenormal(old) : old);
    const T data_key = OrderKey(flush ? F::FlushDenormal(data) : data);
    return (kMaximum ? data_key > old_key : data_key < old_key) ? data : old;
  }
};
using AtomicFmin = AtomicFloatSelect<false>;
using AtomicFmax = AtomicFloatSelect<true>;

template <typename T>
inline bool FloatEqual(T a, T b, bool flush) {
  using F = FloatFormat<T>;
  if (F::IsNan(a) || F::IsNan(b)) return false;
  if (flush) {
    a = F::FlushDenormal(a);
    b = F::FlushDenormal(b);
  }
  return a == b || ((a | b) & ~F::kSign) == 0;
}

// In LDS, where MODE says so, denormals are compared as zeros and become zeros, be it the new value
// or the old one (CDNA3 ISA 9.2.2: "CompareStore flushes the result"; AMD's rocjitsu).
template <typename T>
inline T SwapIf(bool equal, T old, T data, bool flush) {
  const T value = equal ? data : old;
  return flush ? FloatFormat<T>::FlushDenormal(value) : value;
}
struct AtomicFcmpSwap {
  bool flush = false;
  template <typename T>
  AtomicFcmpSwap InLds(const Wave& w) const {
    return {FlushesInLds<T>(w)};
  }
  template <typename T>
  T operator()(T old, T data, T data2) const {
    return SwapIf(FloatEqual(old, data2, flush), old, data, flush);
  }
};
struct AtomicFcmpStore {
  bool flush = false;
  template <typename T>
  AtomicFcmpStore InLds(const Wave& w) const {
    return {FlushesInLds<T>(w)};
  }
  template <typename T>
  T operator()(T old, T data, T data2) const {
    return SwapIf(FloatEqual(old, data, flush), old, data2, flush);
  }
};

// ---- On memory

// Sequentially consistent on naturally aligned memory; returns the old value.
template <typename T, typename Op>
inline T AtomicUpdate(T* memory, const Op& op, T data, T data2) {
  std::atomic_ref<T> cell(*memory);
  if constexpr (std::is_same_v<Op, AtomicSwap>) return cell.exchange(data);
  if constexpr (std::is_same_v<Op, AtomicAdd>) return cell.fetch_add(data);
  if constexpr (std::is_same_v<Op, AtomicSub>) return cell.fetch_sub(data);
  T old = cell.load();
  while (!cell.compare_exchange_weak(old, op(old, data, data2))) {
  }
  return old;
}

// The same on the host's memory, if that is shared. False after a fault.
template <typename T, typename F>
[[gnu::noinline]] bool AtomicOnHost(Wave& w, int lane, uint64_t address, const F& f, T* old) {
  HostMemory* const host = w.dispatch.memory->host();
  if (host != nullptr && host->Update(address, f, old)) return true;
  w.RaiseFault(FaultKind::kMemoryWrite, lane, address, sizeof(T));
  return false;
}

// One lane's atomic on guest memory. False after a fault.
template <typename T, typename Op>
inline bool AtomicAt(Wave& w, int lane, uint64_t address, const Op& op, T data, T data2, T* old) {
  if (address % sizeof(T) != 0) [[unlikely]] {
    w.RaiseFault(FaultKind::kMisaligned, lane, address, sizeof(T),
                 "an atomic operation needs its natural alignment");
    return false;
  }
  if (!w.dispatch.memory->Writable(address, sizeof(T))) [[unlikely]] {
    return AtomicOnHost(
        w, lane, address, [&](T value) { return op(value, data, data2); }, old);
  }
  *old = AtomicUpdate(reinterpret_cast<T*>(address), op, data, data2);
  return true;
}

// The second data operand follows the first in the registers, for the operations that have one.
template <typename Op>
inline constexpr bool kHasData2 =
    std::is_same_v<Op, AtomicCmpSwap> || std::is_same_v<Op, AtomicFcmpSwap>;

template <typename T, typename Op>
inline T SecondData(const Wave& w, int reg, int lane) {
  if constexpr (kHasData2<Op>) {
    return LaneValue<T>(w, reg + static_cast<int>(sizeof(T) / 4), lane);
  } else {
    return T{0};
  }
}

}  // namespace gcnjit::runtime
