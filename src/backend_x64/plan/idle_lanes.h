// What a block leaves in lanes that a lane mask does not have.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

class IdleLanes {
 public:
  // The bits of such lanes in a lane mask.
  struct Mask {
    enum class Kind : uint8_t { kUnknown, kZero, kPair } kind = Kind::kUnknown;
    int64_t pair = 0;  // they are unchanged from this SGPR pair
    bool IsZero() const { return kind == Kind::kZero; }
  };

  // Of lanes that EXEC does not have at the block's begin.
  explicit IdleLanes(const ir::Function& function) : function_(function), exec_is_zero_(true) {}
  // Of lanes that `active` does not have.
  IdleLanes(const ir::Function& function, ir::Value active);

  // Has EXEC none of them at the block's begin?
  bool ExecIsZero() const { return exec_is_zero_; }

  // Values are asked for by all their users: the answers are kept.
  Mask MaskOf(ir::Value v);
  // Are they in what is written to a VGPR as the block found them there?
  bool KeepVgpr(ir::Value written, int64_t vgpr);

 private:
  Mask Compute(ir::Value v);

  const ir::Function& function_;
  bool exec_is_zero_ = false;
  std::unordered_map<uint32_t, Mask> masks_;
};

}  // namespace gcnjit::backend
