// AVX-512 (F, BW, CD, DQ, VL): 16 lanes a register, masks in k registers.
#pragma once

#include "backend_x64/emit/lane_isa.h"
#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/isa/avx512/registers.h"

namespace gcnjit::backend::avx512 {

class Isa final : public LaneIsa {
 public:
  explicit Isa(RegionAssembler& region) : a(region.a), region_(region) {}

  HostRegisters RegistersFor(const ir::Function& function, const ir::Block& block) const override {
    return {kLanes, kVectors, kMasks, LoopMasks(function, block)};
  }
  int ScratchVector() const override { return kT0; }
  int ScratchMask() const override { return kM1; }

  void LoadVector(int reg, const x86::Mem& from) override;
  void StoreVector(const x86::Mem& to, int reg) override;
  void StoreVectorMasked(const x86::Mem& to, int reg, int mask) override;
  void MoveVector(int to, int from) override;
  void AddToHalves(int low, int high, const x86::Mem& number) override;
  void Broadcast32(int reg, const x86::Mem& from) override;
  void Broadcast64(int reg, const x86::Mem& from) override;
  void LoadMask(int reg, const x86::Mem& from) override;
  void StoreMask(const x86::Mem& to, int reg) override;
  void MoveMask(int to, int from) override;
  void SetMask(int reg, bool ones) override;
  void TestMasks(const std::vector<int>& masks) override;
  void PermutePart(int to, const PartShuffle& part, const std::array<int, 2>& from) override;
  bool BpermuteLanes(const x86::Mem& to, const x86::Mem& from, const x86::Mem& indices,
                     const x86::Gp& mask) override;
  void AddToWaveMask(int gpr, int part, int mask) override;
  void StoreMasks(const x86::Mem& to, std::span<const int> masks) override;

 private:
  x86::Assembler& a;
  RegionAssembler& region_;
};

}  // namespace gcnjit::backend::avx512
