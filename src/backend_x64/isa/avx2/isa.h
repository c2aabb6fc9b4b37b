// AVX2 with FMA and F16C: 8 lanes a register, masks in vectors.
#pragma once

#include "backend_x64/emit/lane_isa.h"
#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

class Isa final : public LaneIsa {
 public:
  explicit Isa(RegionAssembler& region) : a(region.a), region_(region) {}

  HostRegisters RegistersFor(const ir::Function& function, const ir::Block& block) const override {
    return {kLanes, RegistersOfValues(function, block)};
  }
  int ScratchVector() const override { return kT0; }
  int ScratchMask() const override { return kT0; }

  void LoadVector(int reg, const x86::Mem& from) override;
  void StoreVector(const x86::Mem& to, int reg) override;
  void StoreVectorMasked(const x86::Mem& to, int reg, int mask) override;
  void MoveVector(int to, int from) override;
  void AddToHalves(int low, int high, const x86::Mem& number) override;
  void Broadcast32(int reg, const x86::Mem& from) override;
  void Broadcast64(int reg, const x86::Mem& from) override;
  void LoadMask(int reg, const x86::Mem& from) override;
  void StoreMask(const x86::Mem& to, int reg) override;
  void MoveMask(int to, int from) override { MoveVector(to, from); }
  void SetMask(int reg, bool ones) override;
  void TestMasks(const std::vector<int>& masks) override;
  void PermutePart(int to, const PartShuffle& part, const std::array<int, 2>& from) override;
  bool BpermuteLanes(const x86::Mem&, const x86::Mem&, const x86::Mem&, const x86::Gp&) override {
    return false;  // lane by lane is as fast as gathers
  }
  void AddToWaveMask(int, int, int) override {}  // masks are vectors
  void StoreMasks(const x86::Mem&, std::span<const int>) override {}

 private:
  x86::Assembler& a;
  RegionAssembler& region_;
};

}  // namespace gcnjit::backend::avx2
