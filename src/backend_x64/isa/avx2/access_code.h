// The moves of a memory access once it is known to be within bounds; the addresses are
// [rax + offset] and what follows it. Used in line and out of line, so that it knows registers
// only. An element's aligned 8 and 16 bytes are moved in one piece, see
// runtime/interpreter/element.h.
#pragma once

#include <cstdint>
#include <functional>

#include "backend_x64/isa/avx2/quads.h"

namespace gcnjit::backend::avx2 {

class AccessCode {
 public:
  AccessCode(RegionAssembler& region, const ir::MemoryAccess& access, int32_t offset = 0)
      : a(region.a), constants_(region.constants), access_(access), offset_(offset) {}

  // Bytes that LoadRun reads; StoreRun writes no more.
  uint32_t RunBytes() const;
  // 8 consecutive elements. Results that are not read are -1; lanes that `mask` excludes get 0
  // (mask -1: none is excluded). Of quadwords, results are pairs of components.
  void LoadRun(int mask, const int (&result)[4]);
  void StoreRun(const int (&data)[4]);
  // The same of the lanes whose bits edx has.
  void StorePartOfRun(int mask, const int (&data)[4]);
  // One element for all lanes.
  void Broadcast(int mask, const int (&result)[4]);
  // Lane by lane, at the offsets that scratch 0 holds; that of a lane which `mask` excludes may be
  // any. Of 16 bytes, `mask` is no scratch register. Changes rcx, rdx, scratch 0 and 2.
  void Gather(int mask, const int (&result)[4]);
  // The same at known offsets, which are within bounds in all lanes. Changes scratch 2. Not of 16
  // bytes.
  void GatherAt(const ConstantPool::Vector& offsets, int mask, const int (&result)[4]);
  // Of all lanes, or those whose bits edx has, in ascending order.
  void Scatter(const int (&data)[4], bool all_lanes);
  // One lane's, of one dword or less.
  void StoreLane(int lane, int data);
  // Of all lanes' dwords; the offsets count units of 1 << `shift` bytes. Pairs: each even lane's
  // and the one after it, which is where the next lane's goes. Change rcx, rdx, scratch 0 and 1.
  void ScatterDwords(int data, uint32_t shift);
  void ScatterPairs(int data, uint32_t shift);
  // A dword of which the access means the first bytes.
  void Narrow(int reg);

 private:
  QuadCode Quads() { return {a, offset_, access_.quadwords}; }
  void LoadLongRun(int mask, const int (&result)[4]);
  void LoadHalfRun(int mask, const int (&result)[4]);
  void GatherDwords(int mask, const int (&result)[4]);
  bool IsPair(const int (&result)[4], int n) const;
  void LoadLanes(const int (&result)[4], const std::function<AddressOf(int dword)>& address);
  void ClearOtherLanes(int mask, const int (&result)[4]);
  void StoreLongRun(const int (&data)[4]);
  void StoreLanes(const int (&data)[4], bool all, const AddressOf& address);
  void StoreLastDword(int lane, int reg, const x86::Mem& to);
  x86::Mem Lane(int lane, int offset = 0) const {
    return x86::ptr(x86::rax, offset_ + lane * access_.bytes + offset);
  }
  // The low bytes of each half's dwords, together.
  x86::Mem LowBytes() const;

  x86::Assembler& a;
  ConstantPool& constants_;
  const ir::MemoryAccess access_;
  const int32_t offset_;
};

}  // namespace gcnjit::backend::avx2
