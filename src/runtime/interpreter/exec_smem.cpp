// SMRD and SMEM: scalar memory. Sources: CLRX GcnInstrsSmrd, GcnInstrsSmem; Vega manual, "Scalar
// memory operations"; gem5 op_encodings.hh for the bounds of buffers. Addresses: scalar_address.h.
#include <array>
#include <atomic>
#include <chrono>
#include <string>

#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/memory_order.h"
#include "runtime/interpreter/scalar_address.h"
#include "runtime/interpreter/scalar_exec.h"
#include "runtime/state/guest_clock.h"

namespace gcnjit::runtime {
namespace {

ScalarBuffer ReadBuffer(Wave& w, const Instruction& i) {
  ScalarBuffer buffer = ReadScalarBuffer(w, i);
  if (static_cast<int64_t>(buffer.offset) < 0) {
    w.RaiseUnsupported(
        "a scalar buffer access at a negative offset, which the ISA leaves undefined");
    buffer.offset = buffer.bytes = 0;
  }
  return buffer;
}

// Up to 16 dwords. The decoder has checked that the SGPRs exist.
void LoadSgprs(Wave& w, const Instruction& i, uint64_t address, uint32_t dwords) {
  FenceIfCoherent(i);
  std::array<uint32_t, 16> data;
  if (!w.Load(address, data.data(), dwords * 4, -1)) return;
  std::memcpy(&w.state.sgpr[i.dst.index], data.data(), dwords * 4);
}

void StoreSgprs(Wave& w, const Instruction& i, uint64_t address, uint32_t dwords) {
  w.Store(address, &w.state.sgpr[i.src[2].index], dwords * 4, -1);
}

// Dwords beyond the buffer's end read as 0. One that lies across the end counts as inside.
void BufferLoad(Wave& w, const Instruction& i, uint32_t dwords) {
  FenceIfCoherent(i);
  const ScalarBuffer buffer = ReadBuffer(w, i);
  std::array<uint32_t, 16> data = {};
  for (uint32_t n = 0; n < dwords; ++n) {
    if (buffer.InRange(n, 1) && !w.Load(buffer.Address(n), &data[n], 4, -1)) return;
  }
  std::memcpy(&w.state.sgpr[i.dst.index], data.data(), dwords * 4);
}

// Dwords beyond the buffer's end are dropped.
void BufferStore(Wave& w, const Instruction& i, uint32_t dwords) {
  const ScalarBuffer buffer = ReadBuffer(w, i);
  for (uint32_t n = 0; n < dwords; ++n) {
    if (!buffer.InRange(n, 1)) return;
    if (!w.Store(buffer.Address(n), &w.state.sgpr[i.src[2].index + n], 4, -1)) return;
  }
}

template <typename T>
bool AtomicBufferAddress(Wave& w, const Instruction& i, uint64_t& address) {
  const ScalarBuffer buffer = ReadBuffer(w, i);
  address = buffer.Address(0);
  if (buffer.InRange(0, sizeof(T))) return true;
  // Not performed; the documents do not say what is then returned.
  if (i.glc) {
    w.RaiseUnsupported("a scalar atomic that returns, beyond the end of its buffer: offset " +
                       std::to_string(buffer.offset) + " of " + std::to_string(buffer.bytes) +
                       " bytes");
  }
  return false;
}

// new = f(old, data, compare) at the address, returned to the SGPRs with GLC. Sdata holds the data
// and, for cmpswap, the compare value in the registers after it.
template <typename T, typename F>
void AtomicUpdate(Wave& w, const Instruction& i, uint64_t address, F f) {
  if (address % sizeof(T) != 0) {
    w.RaiseFault(FaultKind::kMisaligned, -1, address, sizeof(T), "atomics are naturally aligned");
    return;
  }
  const size_t sdata = i.dst.index;
  T data = 0;
  std::memcpy(&data, &w.state.sgpr[sdata], sizeof(T));
  T compare = 0;
  if (frontend::BitsOf(i.dst.type) > static_cast<int>(sizeof(T)) * 8) {
    std::memcpy(&compare, &w.state.sgpr[sdata + sizeof(T) / 4], sizeof(T));
  }
  T old = 0;
  const auto update = [&](T value) { return f(value, data, compare); };
  if (!w.dispatch.memory->Writable(address, sizeof(T))) {
    if (!AtomicOnHost(w, -1, address, update, &old)) return;
  } else {
    std::atomic_ref<T> memory(*reinterpret_cast<T*>(address));
    old = memory.load();
    while (!memory.compare_exchange_weak(old, update(old))) {
    }
  }
  if (i.glc) std::memcpy(&w.state.sgpr[sdata], &old, sizeof(T));
}

template <typename T, typename F>
void FlatAtomic(Wave& w, const Instruction& i, F f) {
  AtomicUpdate<T>(w, i, ScalarAddress(w, i), f);
}
template <typename T, typename F>
void BufferAtomic(Wave& w, const Instruction& i, F f) {
  uint64_t address = 0;
  if (AtomicBufferAddress<T>(w, i, address)) AtomicUpdate<T>(w, i, address, f);
}

uint64_t Nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

void exec_S_LOAD_DWORD(Wave& w, const Instruction& i) { LoadSgprs(w, i, ScalarAddress(w, i), 1); }
void exec_S_LOAD_DWORDX2(Wave& w, const Instruction& i) { LoadSgprs(w, i, ScalarAddress(w, i), 2); }
void exec_S_LOAD_DWORDX4(Wave& w, const Instruction& i) { LoadSgprs(w, i, ScalarAddress(w, i), 4); }
void exec_S_LOAD_DWORDX8(Wave& w, const Instruction& i) { LoadSgprs(w, i, ScalarAddress(w, i), 8); }
void exec_S_LOAD_DWORDX16(Wave& w, const Instruction& i) {
  LoadSgprs(w, i, ScalarAddress(w, i), 16);
}

void exec_S_SCRATCH_LOAD_DWORD(Wave& w, const Instruction& i) {
  LoadSgprs(w, i, ScalarScratchAddress(w, i), 1);
}
void exec_S_SCRATCH_LOAD_DWORDX2(Wave& w, const Instruction& i) {
  LoadSgprs(w, i, ScalarScratchAddress(w, i), 2);
}
void exec_S_SCRATCH_LOAD_DWORDX4(Wave& w, const Instruction& i) {
  LoadSgprs(w, i, ScalarScratchAddress(w, i), 4);
}

void exec_S_BUFFER_LOAD_DWORD(Wave& w, const Instruction& i) { BufferLoad(w, i, 1); }
void exec_S_BUFFER_LOAD_DWORDX2(Wave& w, const Instruction& i) { BufferLoad(w, i, 2); }
void exec_S_BUFFER_LOAD_DWORDX4(Wave& w, const Instruction& i) { BufferLoad(w, i, 4); }
void exec_S_BUFFER_LOAD_DWORDX8(Wave& w, const Instruction& i) { BufferLoad(w, i, 8); }
void exec_S_BUFFER_LOAD_DWORDX16(Wave& w, const Instruction& i) { BufferLoad(w, i, 16); }

void exec_S_STORE_DWORD(Wave& w, const Instruction& i) { StoreSgprs(w, i, ScalarAddress(w, i), 1); }
void exec_S_STORE_DWORDX2(Wave& w, const Instruction& i) {
  StoreSgprs(w, i, ScalarAddress(w, i), 2);
}
void exec_S_STORE_DWORDX4(Wave& w, const Instruction& i) {
  StoreSgprs(w, i, ScalarAddress(w, i), 4);
}

void exec_S_SCRATCH_STORE_DWORD(Wave& w, const Instruction& i) {
  StoreSgprs(w, i, ScalarScratchAddress(w, i), 1);
}
void exec_S_SCRATCH_STORE_DWORDX2(Wave& w, const Instruction& i) {
  StoreSgprs(w, i, ScalarScratchAddress(w, i), 2);
}
void exec_S_SCRATCH_STORE_DWORDX4(Wave& w, const Instruction& i) {
  StoreSgprs(w, i, ScalarScratchAddress(w, i), 4);
}

void exec_S_BUFFER_STORE_DWORD(Wave& w, const Instruction& i) { BufferStore(w, i, 1); }
void exec_S_BUFFER_STORE_DWORDX2(Wave& w, const Instruction& i) { BufferStore(w, i, 2); }
void exec_S_BUFFER_STORE_DWORDX4(Wave& w, const Instruction& i) { BufferStore(w, i, 4); }

// Free-running clocks: s_memtime's has no defined rate (here 1 GHz).
void exec_S_MEMTIME(Wave& w, const Instruction& i) { WriteScalar64(w, i.dst, Nanoseconds()); }
void exec_S_MEMREALTIME(Wave& w, const Instruction& i) {
  WriteScalar64(w, i.dst, Nanoseconds() / (1'000'000'000 / kRealTimeHz));
}

void exec_S_DCACHE_INV(Wave&, const Instruction&) { Fence(); }
void exec_S_DCACHE_INV_VOL(Wave&, const Instruction&) { Fence(); }
// Host caches are coherent: there is nothing to write back or prefetch, and no dirty line left to
// discard.
void exec_S_DCACHE_WB(Wave&, const Instruction&) {}
void exec_S_DCACHE_WB_VOL(Wave&, const Instruction&) {}
void exec_S_DCACHE_DISCARD(Wave&, const Instruction&) {}
void exec_S_DCACHE_DISCARD_X2(Wave&, const Instruction&) {}
void exec_S_ATC_PROBE(Wave&, const Instruction&) {}
void exec_S_ATC_PROBE_BUFFER(Wave&, const Instruction&) {}

// One operation in its four forms. `m` is the value in memory, `d` the data, `c` cmpswap's compare
// value, U and S the unsigned and signed type of the width.
// clang-format off
#define SCALAR_ATOMIC_FORM(id, form, type, expression)                        \
  void exec_##id(Wave& w, const Instruction& i) {                             \
    using U = type;                                                           \
    using S [[maybe_unused]] = std::make_signed_t<U>;                         \
    form<U>(w, i, [](U m [[maybe_unused]], U d [[maybe_unused]],              \
                     U c [[maybe_unused]]) -> U { return expression; });      \
  }
#define SCALAR_ATOMIC(name, expression)                                              \
  SCALAR_ATOMIC_FORM(S_ATOMIC_##name, FlatAtomic, uint32_t, expression)              \
  SCALAR_ATOMIC_FORM(S_ATOMIC_##name##_X2, FlatAtomic, uint64_t, expression)         \
  SCALAR_ATOMIC_FORM(S_BUFFER_ATOMIC_##name, BufferAtomic, uint32_t, expression)     \
  SCALAR_ATOMIC_FORM(S_BUFFER_ATOMIC_##name##_X2, BufferAtomic, uint64_t, expression)

SCALAR_ATOMIC(SWAP,    d)
SCALAR_ATOMIC(CMPSWAP, m == c ? d : m)
SCALAR_ATOMIC(ADD,     m + d)
SCALAR_ATOMIC(SUB,     m - d)
SCALAR_ATOMIC(SMIN,    static_cast<S>(d) < static_cast<S>(m) ? d : m)
SCALAR_ATOMIC(UMIN,    d < m ? d : m)
SCALAR_ATOMIC(SMAX,    static_cast<S>(d) > static_cast<S>(m) ? d : m)
SCALAR_ATOMIC(UMAX,    d > m ? d : m)
SCALAR_ATOMIC(AND,     m & d)
SCALAR_ATOMIC(OR,      m | d)
SCALAR_ATOMIC(XOR,     m ^ d)
SCALAR_ATOMIC(INC,     m >= d ? 0 : m + 1)
SCALAR_ATOMIC(DEC,     m == 0 || m > d ? d : m - 1)

#undef SCALAR_ATOMIC
#undef SCALAR_ATOMIC_FORM
// clang-format on

}  // namespace gcnjit::runtime
