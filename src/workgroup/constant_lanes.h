// What code computes from registers whose contents are known when it is compiled: work-item ids,
// EXEC, and what follows from them.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/function.h"

namespace gcnjit::workgroup {

using LaneValues = std::array<uint32_t, ir::kLanes>;

// Registers whose contents are known.
struct ConstantRegisters {
  std::bitset<128> has_sgpr;  // by operand code
  std::array<uint32_t, 128> sgprs = {};
  std::optional<uint64_t> scc;
  std::map<int, LaneValues> vgprs;

  void SetSgpr(size_t code, std::optional<uint32_t> value);
  void SetPair(size_t code, std::optional<uint64_t> value);
  std::optional<uint64_t> Pair(size_t code) const;
  // Keeps what is known, and the same, in both.
  void Meet(const ConstantRegisters& other);
};

class ConstantLanes {
 public:
  explicit ConstantLanes(const ir::Function& function);

  // Follows a block from its begin, where `registers` are known, to its end.
  void Run(const ir::Block& block, ConstantRegisters& registers);

  // Of that block: the value of a u1, u32 or u64, if it is known.
  std::optional<uint64_t> Scalar(ir::Value v) const;
  // Also of a v32. If it is, a lane of it; of a scalar any.
  bool IsKnown(ir::Value v) const { return kinds_[v.id] != Kind::kUnknown; }
  uint64_t Lane(ir::Value v, int lane) const;

 private:
  enum class Kind : uint8_t { kUnknown, kScalar, kLanes };
  void Follow(ir::Value v, ConstantRegisters& registers);
  void SetScalar(ir::Value v, std::optional<uint64_t> value);
  void SetLanes(ir::Value v, const LaneValues& value);
  void Copy(ir::Value from, ir::Value to);
  void Compute(ir::Value v);
  void ComputeLanes(ir::Value v);
  bool AreKnown(const ir::Inst& inst) const;

  const ir::Function& function_;
  std::vector<Kind> kinds_;
  std::vector<uint64_t> scalars_;
  std::map<uint32_t, LaneValues> lanes_;
};

}  // namespace gcnjit::workgroup
