// MUBUF loads and stores without format conversion, and cache maintenance.
//
// Sources: CLRX GcnInstrsMubuf.md, GcnMemHandling.md; CDNA3 ISA 9.1. Each dword of an access is
// checked against the range by itself; out of range reads 0 and writes nothing. A lane of which all
// dwords are in range moves them at once, unless they are swizzled. Where an element of a swizzled
// buffer is not aligned, each byte has an address of its own, and all or none are in range.
#include "runtime/interpreter/buffer_resource.h"
#include "runtime/interpreter/guest_access.h"
#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/memory_order.h"

namespace gcnjit::runtime {
namespace {

// At most a dword, `component` bytes into the accesses of `lanes`, to register dst.
template <typename Form>
void LoadPiece(Wave& w, const BufferAccess& access, uint32_t component, uint64_t lanes, int dst) {
  LaneAddresses at;
  const uint64_t in_range = lanes & access.LocatePiece(component, Form::kBytes, at);
  const uint64_t apart = in_range & access.Apart(Form::kBytes);
  if (apart == 0) {
    LoadAt<Form>(w, dst, in_range, at);
  } else {
    ForEachLane(in_range, [&](int lane) {
      uint32_t raw[1] = {};
      const bool is_done = ((apart >> lane) & 1) != 0
                               ? access.ReadBytes(lane, component, raw, Form::kBytes)
                               : w.Load(at[lane], raw, Form::kBytes, lane);
      if (is_done) PutLane<Form>(w, dst, lane, raw);
      return is_done;
    });
  }
  PutZeros<Form>(w, dst, lanes & ~in_range);
}

// The lanes whose bytes, more than a dword of them, are contiguous and in range, and where they
// are. If the last dword is in range, so are the others.
uint64_t LocateWhole(const BufferAccess& access, uint32_t bytes, LaneAddresses& at) {
  if (access.swizzled()) return 0;
  const uint64_t whole = access.Locate(bytes - 4, 4, /*whole=*/false, at);
  access.Locate(0, 4, /*whole=*/false, at);
  return whole;
}

template <typename Form>
void LoadBuffer(Wave& w, const BufferAccess& access, int dst) {
  if constexpr (Form::kRegisters == 1) {
    LoadPiece<Form>(w, access, 0, w.exec(), dst);
  } else {
    LaneAddresses at;
    const uint64_t whole = LocateWhole(access, Form::kBytes, at);
    LoadAt<Form>(w, dst, whole, at);
    const uint64_t others = w.exec() & ~whole;
    if (others == 0) return;
    for (int r = 0; r < Form::kRegisters && w.event != WaveEvent::kFault; ++r) {
      LoadPiece<LoadDwords<1>>(w, access, 4u * static_cast<uint32_t>(r), others, dst + r);
    }
  }
}

template <typename Form>
void LoadBufferToLds(Wave& w, const BufferAccess& access, uint32_t offset) {
  if (access.Apart(Form::kBytes) != 0) {
    return w.RaiseUnsupported("unaligned access to a swizzled buffer with the LDS bit; align it");
  }
  LaneAddresses at;
  const uint64_t in_range = access.Locate(0, Form::kBytes, /*whole=*/false, at);
  LoadToLds<Form>(w, offset, in_range, at);
}

template <typename Form>
void BufferLoad(Wave& w, const Instruction& i) {
  FenceIfCoherent(i);
  const BufferAccess access(w, i, /*format_access=*/false);
  if (i.lds) {
    if constexpr (kLoadsToLds<Form>) {
      return LoadBufferToLds<Form>(w, access, static_cast<uint32_t>(i.offset));
    } else {
      return RefuseLds(w);
    }
  }
  LoadBuffer<Form>(w, access, i.dst.index);
  PutTfeStatus(w, i, Form::kRegisters);
}

// At most a dword, as LoadPiece, from register src.
template <typename Form>
void StorePiece(Wave& w, const BufferAccess& access, uint32_t component, uint64_t lanes, int src) {
  LaneAddresses at;
  const uint64_t in_range = lanes & access.LocatePiece(component, Form::kBytes, at);
  const uint64_t apart = in_range & access.Apart(Form::kBytes);
  if (apart == 0) return StoreAt<Form>(w, src, in_range, at);
  ForEachLane(in_range, [&](int lane) {
    uint32_t raw[1];
    TakeLane<Form>(w, src, lane, raw);
    return ((apart >> lane) & 1) != 0 ? access.WriteBytes(lane, component, raw, Form::kBytes)
                                      : w.Store(at[lane], raw, Form::kBytes, lane);
  });
}

template <typename Form>
void BufferStore(Wave& w, const Instruction& i) {
  const BufferAccess access(w, i, /*format_access=*/false);
  const int src = i.src[1].index;
  if constexpr (Form::kRegisters == 1) {
    StorePiece<Form>(w, access, 0, w.exec(), src);
  } else {
    LaneAddresses at;
    const uint64_t whole = LocateWhole(access, Form::kBytes, at);
    StoreAt<Form>(w, src, whole, at);
    const uint64_t others = w.exec() & ~whole;
    if (others == 0) return;
    for (int r = 0; r < Form::kRegisters && w.event != WaveEvent::kFault; ++r) {
      StorePiece<StoreDwords<1>>(w, access, 4u * static_cast<uint32_t>(r), others, src + r);
    }
  }
}

}  // namespace

// clang-format off
#define LOAD(id, form)  void exec_BUFFER_LOAD_##id(Wave& w, const Instruction& i) { BufferLoad<form>(w, i); }
#define D16_LOAD(id, form, from)                                                                 \
  void exec_BUFFER_LOAD_##id(Wave& w, const Instruction& i) {                                    \
    i.zeroes_half ? BufferLoad<form<from, true>>(w, i) : BufferLoad<form<from, false>>(w, i);    \
  }
#define STORE(id, form) void exec_BUFFER_STORE_##id(Wave& w, const Instruction& i) { BufferStore<form>(w, i); }

LOAD(UBYTE,        LoadUbyte)
LOAD(SBYTE,        LoadSbyte)
LOAD(USHORT,       LoadUshort)
LOAD(SSHORT,       LoadSshort)
LOAD(DWORD,        LoadDwords<1>)
LOAD(DWORDX2,      LoadDwords<2>)
LOAD(DWORDX3,      LoadDwords<3>)
LOAD(DWORDX4,      LoadDwords<4>)
D16_LOAD(UBYTE_D16,    LoadD16, LoadUbyte)
D16_LOAD(UBYTE_D16_HI, LoadD16Hi, LoadUbyte)
D16_LOAD(SBYTE_D16,    LoadD16, LoadSbyte)
D16_LOAD(SBYTE_D16_HI, LoadD16Hi, LoadSbyte)
D16_LOAD(SHORT_D16,    LoadD16, LoadUshort)
D16_LOAD(SHORT_D16_HI, LoadD16Hi, LoadUshort)

STORE(BYTE,         StoreByte)
STORE(BYTE_D16_HI,  StoreByteD16Hi)
STORE(SHORT,        StoreShort)
STORE(SHORT_D16_HI, StoreShortD16Hi)
STORE(DWORD,        StoreDwords<1>)
STORE(DWORDX2,      StoreDwords<2>)
STORE(DWORDX3,      StoreDwords<3>)
STORE(DWORDX4,      StoreDwords<4>)

#undef LOAD
#undef D16_LOAD
#undef STORE
// clang-format on

// Each lane's dword at LDS M0[15:0] + offset + lane * 4 goes to memory. Source: CLRX
// GcnInstrsMubuf.md; addresses as for loads to LDS.
void exec_BUFFER_STORE_LDS_DWORD(Wave& w, const Instruction& i) {
  const BufferAccess access(w, i, /*format_access=*/false);
  LaneAddresses at;
  const uint64_t in_range = access.Locate(0, 4, /*whole=*/false, at);
  const uint64_t start = uint64_t{w.state.m0() & 0xFFFF} + static_cast<uint32_t>(i.offset);
  ForEachLane(in_range, [&](int lane) {
    const uint64_t lds_address = start + static_cast<uint64_t>(lane) * 4;
    if (lds_address + 4 > w.group.lds_bytes) return true;
    return w.Store(at[lane], w.group.lds + lds_address, 4, lane);
  });
}

// Host caches are coherent, but stores may still be on their way there.
void exec_BUFFER_WBINVL1(Wave&, const Instruction&) { Fence(); }
void exec_BUFFER_WBINVL1_SC(Wave&, const Instruction&) { Fence(); }
void exec_BUFFER_WBINVL1_VOL(Wave&, const Instruction&) { Fence(); }
void exec_BUFFER_WBL2(Wave&, const Instruction&) { Fence(); }
void exec_BUFFER_INVL2(Wave&, const Instruction&) { Fence(); }
void exec_BUFFER_INV(Wave&, const Instruction&) { Fence(); }

}  // namespace gcnjit::runtime
