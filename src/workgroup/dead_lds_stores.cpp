#include "workgroup/dead_lds_stores.h"

namespace gcnjit::workgroup {

using ir::Inst;
using ir::Op;
using ir::Value;

void DeadLdsStores::Follow(const Inst& inst, const ConstantLanes& values, bool is_inside,
                           Value emitted) {
  const bool is_store = inst.op == Op::kStoreLds;
  switch (inst.op) {
    case Op::kLoadLds:
    case Op::kStoreLds: break;
    case Op::kAtomicLds: uses_.push_back({}); return;
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomic:
      if (inst.access().space == ir::Space::kFlat) uses_.push_back({});
      return;
    default: return;
  }
  if (!is_inside) {
    // What a store overwrites need not be known.
    if (!is_store) uses_.push_back({});
    return;
  }
  auto bytes = std::make_unique<Bytes>();
  const uint64_t mask = values.Scalar(inst.args[1]).value_or(0);
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto first =
        static_cast<uint32_t>(values.Lane(inst.args[0], lane) + static_cast<uint64_t>(inst.imm));
    for (uint32_t n = 0; n < inst.access().bytes; ++n) bytes->set(first + n);
  }
  uses_.push_back({is_store ? emitted : Value{}, std::move(bytes)});
}

std::vector<Value> DeadLdsStores::UnreadStores() const {
  std::vector<Value> unread;
  Bytes read;  // by later loads
  for (auto use = uses_.rbegin(); use != uses_.rend(); ++use) {
    if (use->bytes == nullptr) {
      read.set();
    } else if (!use->store) {
      read |= *use->bytes;
    } else {
      if ((read & *use->bytes).none()) unread.push_back(use->store);
      read &= ~*use->bytes;
    }
  }
  return unread;
}

}  // namespace gcnjit::workgroup
