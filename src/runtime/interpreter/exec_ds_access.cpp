// DS loads and stores: one address, two addresses, thread-id addressed.
//
// Sources: CLRX GcnInstrsDs.md; Vega manual as quoted in gem5 ds.cc. A lane that is out of range
// reads 0 and writes nothing; of several lanes that store to one address the highest wins.
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::runtime {
namespace {

template <typename Form>
void LoadShare(Wave& w, const DataShare& share, int dst, uint64_t in_range,
               const uint32_t (&at)[kLanes]) {
  if (in_range == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t raw[Form::kRegisters] = {};
      std::memcpy(raw, share.bytes + at[lane], Form::kBytes);
      PutLane<Form>(w, dst, lane, raw);
    }
    return;
  }
  ForEachLane(in_range, [&](int lane) {
    uint32_t raw[Form::kRegisters] = {};
    std::memcpy(raw, share.bytes + at[lane], Form::kBytes);
    PutLane<Form>(w, dst, lane, raw);
    return true;
  });
  PutZeros<Form>(w, dst, w.exec() & ~in_range);
}

template <typename Form>
void StoreLane(const Wave& w, const DataShare& share, int src, int lane, uint32_t at) {
  uint32_t raw[Form::kRegisters];
  TakeLane<Form>(w, src, lane, raw);
  std::memcpy(share.bytes + at, raw, Form::kBytes);
}

template <typename Form>
void DsLoad(Wave& w, const Instruction& i) {
  const DataShare share = ShareOf(w, i);
  alignas(64) uint32_t at[kLanes];
  const uint64_t in_range =
      ShareAddresses(w, share, i.src[0].index, static_cast<uint32_t>(i.offset), Form::kBytes, at);
  LoadShare<Form>(w, share, i.dst.index, in_range, at);
}

template <typename Form>
void DsStore(Wave& w, const Instruction& i) {
  const DataShare share = ShareOf(w, i);
  alignas(64) uint32_t at[kLanes];
  const uint64_t in_range =
      ShareAddresses(w, share, i.src[0].index, static_cast<uint32_t>(i.offset), Form::kBytes, at);
  ForEachLane(in_range, [&](int lane) {
    StoreLane<Form>(w, share, i.src[1].index, lane, at[lane]);
    return true;
  });
}

// Two addresses: vaddr + offset0 * scale and vaddr + offset1 * scale, each checked by itself.
template <typename Form>
void DsLoad2(Wave& w, const Instruction& i, uint32_t scale) {
  const DataShare share = ShareOf(w, i);
  alignas(64) uint32_t at0[kLanes];
  alignas(64) uint32_t at1[kLanes];
  const int address = i.src[0].index;
  const uint64_t in_range0 =
      ShareAddresses(w, share, address, i.offset0 * scale, Form::kBytes, at0);
  const uint64_t in_range1 =
      ShareAddresses(w, share, address, i.offset1 * scale, Form::kBytes, at1);
  LoadShare<Form>(w, share, i.dst.index, in_range0, at0);
  LoadShare<Form>(w, share, i.dst.index + Form::kRegisters, in_range1, at1);
}

template <typename Form>
void DsStore2(Wave& w, const Instruction& i, uint32_t scale) {
  const DataShare share = ShareOf(w, i);
  alignas(64) uint32_t at0[kLanes];
  alignas(64) uint32_t at1[kLanes];
  const int address = i.src[0].index;
  const uint64_t in_range0 =
      ShareAddresses(w, share, address, i.offset0 * scale, Form::kBytes, at0);
  const uint64_t in_range1 =
      ShareAddresses(w, share, address, i.offset1 * scale, Form::kBytes, at1);
  // Two accesses one after the other, each for all lanes: the second wins where they overlap.
  const auto store = [&](uint64_t in_range, int reg, const uint32_t* at) {
    ForEachLane(in_range, [&](int lane) {
      StoreLane<Form>(w, share, reg, lane, at[lane]);
      return true;
    });
  };
  store(in_range0, i.src[1].index, at0);
  store(in_range1, i.src[2].index, at1);
}

// M0[15:0] + offset + lane * 4 (gfx9).
uint64_t ThreadAddresses(const Wave& w, const Instruction& i, const DataShare& share,
                         uint32_t (&at)[kLanes]) {
  const uint32_t start = (w.state.m0() & 0xFFFF) + static_cast<uint32_t>(i.offset);
  alignas(64) uint8_t in_range[kLanes];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    at[lane] = start + lane * 4;
    in_range[lane] = at[lane] + 4 <= share.limit;
  }
  return MaskOfFlags(in_range) & w.exec();
}

}  // namespace

// clang-format off
#define DS_LOAD(id, form)         void exec_##id(Wave& w, const Instruction& i) { DsLoad<form>(w, i); }
#define DS_D16_LOAD(id, form, from)                                                              \
  void exec_##id(Wave& w, const Instruction& i) {                                                \
    i.zeroes_half ? DsLoad<form<from, true>>(w, i) : DsLoad<form<from, false>>(w, i);            \
  }
#define DS_LOAD2(id, form, scale) void exec_##id(Wave& w, const Instruction& i) { DsLoad2<form>(w, i, scale); }
#define DS_STORE(id, form)        void exec_##id(Wave& w, const Instruction& i) { DsStore<form>(w, i); }
#define DS_STORE2(id, form, scale) void exec_##id(Wave& w, const Instruction& i) { DsStore2<form>(w, i, scale); }

DS_LOAD(DS_READ_U8,         LoadUbyte)
DS_LOAD(DS_READ_I8,         LoadSbyte)
DS_LOAD(DS_READ_U16,        LoadUshort)
DS_LOAD(DS_READ_I16,        LoadSshort)
DS_D16_LOAD(DS_READ_U8_D16,     LoadD16, LoadUbyte)
DS_D16_LOAD(DS_READ_U8_D16_HI,  LoadD16Hi, LoadUbyte)
DS_D16_LOAD(DS_READ_I8_D16,     LoadD16, LoadSbyte)
DS_D16_LOAD(DS_READ_I8_D16_HI,  LoadD16Hi, LoadSbyte)
DS_D16_LOAD(DS_READ_U16_D16,    LoadD16, LoadUshort)
DS_D16_LOAD(DS_READ_U16_D16_HI, LoadD16Hi, LoadUshort)
DS_LOAD(DS_READ_B32,        LoadDwords<1>)
DS_LOAD(DS_READ_B64,        LoadDwords<2>)
DS_LOAD(DS_READ_B96,        LoadDwords<3>)
DS_LOAD(DS_READ_B128,       LoadDwords<4>)
DS_LOAD2(DS_READ2_B32,      LoadDwords<1>, 4)
DS_LOAD2(DS_READ2_B64,      LoadDwords<2>, 8)
DS_LOAD2(DS_READ2ST64_B32,  LoadDwords<1>, 4 * 64)
DS_LOAD2(DS_READ2ST64_B64,  LoadDwords<2>, 8 * 64)

DS_STORE(DS_WRITE_B8,          StoreByte)
DS_STORE(DS_WRITE_B8_D16_HI,   StoreByteD16Hi)
DS_STORE(DS_WRITE_B16,         StoreShort)
DS_STORE(DS_WRITE_B16_D16_HI,  StoreShortD16Hi)
DS_STORE(DS_WRITE_B32,         StoreDwords<1>)
DS_STORE(DS_WRITE_B64,         StoreDwords<2>)
DS_STORE(DS_WRITE_B96,         StoreDwords<3>)
DS_STORE(DS_WRITE_B128,        StoreDwords<4>)
DS_STORE2(DS_WRITE2_B32,       StoreDwords<1>, 4)
DS_STORE2(DS_WRITE2_B64,       StoreDwords<2>, 8)
DS_STORE2(DS_WRITE2ST64_B32,   StoreDwords<1>, 4 * 64)
DS_STORE2(DS_WRITE2ST64_B64,   StoreDwords<2>, 8 * 64)

#undef DS_LOAD
#undef DS_D16_LOAD
#undef DS_LOAD2
#undef DS_STORE
#undef DS_STORE2
// clang-format on

void exec_DS_READ_ADDTID_B32(Wave& w, const Instruction& i) {
  const DataShare share = ShareOf(w, i);
  alignas(64) uint32_t at[kLanes];
  LoadShare<LoadDwords<1>>(w, share, i.dst.index, ThreadAddresses(w, i, share, at), at);
}

void exec_DS_WRITE_ADDTID_B32(Wave& w, const Instruction& i) {
  const DataShare share = ShareOf(w, i);
  alignas(64) uint32_t at[kLanes];
  ForEachLane(ThreadAddresses(w, i, share, at), [&](int lane) {
    StoreLane<StoreDwords<1>>(w, share, i.src[1].index, lane, at[lane]);
    return true;
  });
}

}  // namespace gcnjit::runtime
