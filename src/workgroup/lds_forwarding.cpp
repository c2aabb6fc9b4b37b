#include "workgroup/lds_forwarding.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gcnjit::workgroup {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

uint32_t AddressOf(const Inst& access, const ConstantLanes& values, int lane) {
  return static_cast<uint32_t>(values.Lane(access.args[0], lane) +
                               static_cast<uint64_t>(access.imm));
}

bool IsActive(uint64_t mask, int lane) { return (mask >> lane & 1) != 0; }

}  // namespace

bool LdsForwarding::IsInside(const Inst& access, const ConstantLanes& values) const {
  const std::optional<uint64_t> mask = values.Scalar(access.args[1]);
  const std::optional<uint64_t> limit = values.Scalar(access.args[2]);
  if (!mask || !limit || !values.IsKnown(access.args[0])) return false;
  const uint64_t end = std::min<uint64_t>(*limit, bytes_);
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if (!IsActive(*mask, lane)) continue;
    if (uint64_t{AddressOf(access, values, lane)} + access.access().bytes > end) return false;
  }
  return true;
}

void LdsForwarding::Follow(const Inst& inst, const ConstantLanes& values, const Value* dwords) {
  switch (inst.op) {
    case Op::kStoreLds: break;
    case Op::kAtomicLds: return dwords_.clear();
    case Op::kStore:
    case Op::kAtomic:
      if (inst.access().space == ir::Space::kFlat) dwords_.clear();
      return;
    default: return;
  }
  const uint32_t bytes = inst.access().bytes;
  if (!IsInside(inst, values)) return dwords_.clear();
  const uint64_t mask = values.Scalar(inst.args[1]).value_or(0);
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if (!IsActive(mask, lane)) continue;
    const uint32_t first = AddressOf(inst, values, lane);
    // What is not stored as a whole dword is not kept.
    for (uint32_t at = first & ~3u; at < first + bytes; at += 4) dwords_.erase(at);
    if (bytes % 4 != 0 || first % 4 != 0) continue;
    for (uint32_t n = 0; n < bytes / 4; ++n) {
      dwords_[first + 4 * n] = {dwords[n], static_cast<uint8_t>(lane)};
    }
  }
}

Value LdsForwarding::Load(const Inst& load, const ConstantLanes& values) {
  constexpr size_t kMostPieces = 2;
  if (load.access().bytes != 4 || !IsInside(load, values)) return {};
  const uint64_t mask = values.Scalar(load.args[1]).value_or(0);
  struct Piece {
    Value stored;
    ir::LanePattern pattern;
    uint64_t lanes = 0;
  };
  std::vector<Piece> pieces;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if (!IsActive(mask, lane)) continue;
    const auto found = dwords_.find(AddressOf(load, values, lane));
    if (found == dwords_.end()) return {};
    const auto [stored, from] = found->second;
    auto piece = std::find_if(pieces.begin(), pieces.end(),
                              [stored = stored](const Piece& p) { return p.stored == stored; });
    if (piece == pieces.end()) {
      if (pieces.size() == kMostPieces) return {};
      piece = pieces.insert(piece, {stored, {}, 0});
      piece->pattern.fill(ir::kNoLane);
    }
    piece->pattern[static_cast<size_t>(lane)] = from;
    piece->lanes |= uint64_t{1} << lane;
  }
  Value result = builder_.U32(0);
  for (const Piece& piece : pieces) {
    const bool has_lanes = ir::IsLanes(builder_.TypeOf(piece.stored));
    const Value moved = has_lanes ? builder_.Emit(Op::kPermute, ir::Type::kV32, {piece.stored},
                                                  builder_.Pattern(piece.pattern))
                                  : piece.stored;
    // A permutation alone has zeros where nothing is loaded.
    const bool is_complete = has_lanes ? pieces.size() == 1 : piece.lanes == ir::kAllLanes;
    result = is_complete ? moved : builder_.Select(builder_.U64(piece.lanes), moved, result);
  }
  return result;
}

}  // namespace gcnjit::workgroup
