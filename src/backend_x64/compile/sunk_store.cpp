#include "backend_x64/compile/sunk_store.h"

#include <algorithm>
#include <bitset>
#include <vector>

#include "ir/builder.h"
#include "ir/passes.h"

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr int kFirstStored = 3;  // argument of kStore

class Sinker {
 public:
  explicit Sinker(const ir::Function& alone) : alone_(alone), block_(alone.blocks[0]) {}

  std::optional<SunkStore> Sink() {
    if (!alone_.BranchesToItself(block_) || !FindStore()) return std::nullopt;
    const Inst& store = Of(store_);
    if (!IsOneAddress(store.args[0]) || !IsOneAddress(store.args[1]) || !IsOneMask(store.args[2])) {
      return std::nullopt;
    }
    for (int n = kFirstStored; n < store.argument_count; ++n) {
      const std::optional<int> vgpr = VgprWith(store.args[n]);
      if (!vgpr) return std::nullopt;
      stored_.push_back(*vgpr);
    }
    SunkStore sunk{LoopWithoutStore(), StoreAlone()};
    sunk.low_vgpr = static_cast<int>(Of(store.args[0]).imm);
    sunk.high_vgpr = static_cast<int>(Of(store.args[1]).imm);
    sunk.imm = static_cast<int32_t>(store.imm);
    sunk.bytes = store.access().bytes;
    return sunk;
  }

 private:
  const Inst& Of(Value v) const { return alone_[v]; }

  // One store to global memory; besides it, loads from there and from LDS.
  bool FindStore() {
    for (const Value v : block_.insts) {
      const Inst& inst = Of(v);
      switch (ir::InfoOf(inst.op).effect) {
        case Effect::kWrite:
          if (store_ || inst.op != Op::kStore || inst.IsIndexed()) return false;
          if (inst.access().space != ir::Space::kGlobal) return false;
          store_ = v;
          break;
        case Effect::kRead:
          if (inst.op == Op::kLoadLds) break;
          if (inst.op != Op::kLoad || inst.access().space != ir::Space::kGlobal) return false;
          break;
        default: break;
      }
      if (inst.op == Op::kSetVgpr) written_vgprs_.set(static_cast<size_t>(inst.imm));
      if (inst.op == Op::kSetVgprAt || inst.op == Op::kNoteExec) return false;
      const bool sets_pair = inst.op == Op::kSetSgpr64;
      if (sets_pair || inst.op == Op::kSetSgpr) {
        writes_exec_ |= inst.imm == ir::kExec || inst.imm == ir::kExec + 1 ||
                        (sets_pair && inst.imm + 1 == ir::kExec);
      }
    }
    return static_cast<bool>(store_);
  }

  bool IsOneAddress(Value v) const {
    const Inst& inst = Of(v);
    return inst.op == Op::kGetVgpr && !written_vgprs_.test(static_cast<size_t>(inst.imm));
  }
  bool IsOneMask(Value v) const {
    const Inst& inst = Of(v);
    if (inst.op == Op::kConst) return ~static_cast<uint64_t>(inst.imm) == 0;
    return inst.op == Op::kGetSgpr64 && inst.imm == ir::kExec && !writes_exec_;
  }

  // The VGPR that has the value when the iteration is over.
  std::optional<int> VgprWith(Value v) const {
    for (const Value set : block_.insts) {
      if (Of(set).op == Op::kSetVgpr && Of(set).args[0] == v) return static_cast<int>(Of(set).imm);
    }
    return std::nullopt;
  }

  ir::Function LoopWithoutStore() const {
    ir::Function loop = alone_;
    std::erase(loop.blocks[0].insts, store_);
    ir::RemoveDead(loop);
    return loop;
  }

  // Counts no instructions: the loop has.
  ir::Function StoreAlone() const {
    ir::Function function;
    function.blocks.resize(1);
    ir::Block& block = function.blocks[0];
    block.begin = block_.begin;
    block.guest_pcs = block_.guest_pcs;
    const bool goes_on = block_.targets[0] == block_.begin;
    block.targets[0] = block_.targets[goes_on ? 1 : 0];
    ir::Builder b(function, block);
    const Inst& store = Of(store_);
    b.SetGuest(store.guest);
    std::vector<Value> args;
    for (int n = 0; n < 2; ++n) {
      args.push_back(b.Emit(Op::kGetVgpr, Type::kV32, {}, Of(store.args[n]).imm));
    }
    args.push_back(Of(store.args[2]).op == Op::kConst
                       ? b.U64(~uint64_t{0})
                       : b.Emit(Op::kGetSgpr64, Type::kU64, {}, ir::kExec));
    for (const int vgpr : stored_) {
      args.push_back(b.Emit(Op::kGetVgpr, Type::kV32, {}, vgpr));
    }
    b.EmitList(Op::kStore, Type::kVoid, args.data(), static_cast<int>(args.size()), store.imm,
               store.aux);
    b.Emit(Op::kJump, Type::kVoid, {});
    return function;
  }

  const ir::Function& alone_;
  const ir::Block& block_;
  Value store_;
  std::bitset<ir::kVgprs> written_vgprs_;
  bool writes_exec_ = false;
  std::vector<int> stored_;  // VGPRs
};

}  // namespace

std::optional<SunkStore> SinkStore(const ir::Function& alone) { return Sinker(alone).Sink(); }

}  // namespace gcnjit::backend
