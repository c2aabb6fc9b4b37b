#include "backend_x64/emit/straggler_function.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "backend_x64/emit/single_lane.h"

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

// The function's code: for each lane of EXEC's slice, its iterations.
class StragglerFunction {
 public:
  StragglerFunction(x86::Compiler& cc, BlockParts& parts, const Stragglers& plan,
                    const SavedScalars& last)
      : cc_(cc),
        b_(parts),
        plan_(plan),
        last_(last),
        context_(cc.newUIntPtr()),
        state_(cc.newUIntPtr()),
        slots_(cc.newUIntPtr()),
        slice_(cc.newUInt64()),
        windows_(cc.newUIntPtr()),
        left_(cc.newUInt64()),
        lanes_(cc.newUInt64()),
        lane_(cc.newUInt64()),
        vgprs_(cc.newUIntPtr()),
        miss_(cc.newLabel()),
        next_lane_(cc.newLabel()),
        done_(cc.newLabel()),
        values_(cc, parts.region, parts.block, {context_, windows_, lane_, miss_}) {}

  void Emit(const asmjit::Label& entry) {
    using Signature =
        asmjit::FuncSignatureT<uint32_t, RegionContext*, std::byte*, uint64_t*, uint64_t>;
    cc_.bind(entry);
    asmjit::FuncNode* const function = cc_.addFunc(Signature(asmjit::CallConvId::kHost));
    function->frame().setAvxEnabled();
    const std::array arguments = {context_, state_, slots_, slice_};
    for (size_t n = 0; n < arguments.size(); ++n) function->setArg(n, arguments[n]);
    cc_.mov(windows_, Field(offsetof(RegionContext, region.windows)));
    EmitLanesOf(MaskOfSlice(ir::kExec), lanes_);
    cc_.bind(next_lane_);
    BeginLane();
    EmitIteration();
    EmitReturns();
    cc_.endFunc();
    b_.region.functions.Add(Functions::Place{entry, b_.block.source.begin, 0});
    for (const SingleLane::Load& load : values_.loads()) {
      b_.region.functions.Add(Functions::Load{load.begin, load.end, miss_, load.site});
      const uint64_t pc = b_.region.SiteOf({load.site}).pc;
      b_.region.functions.Add(Functions::Place{load.begin, b_.block.source.begin, pc});
      b_.region.functions.Add(Functions::Place{load.end, b_.block.source.begin, 0});
    }
  }

 private:
  const StateLayout& layout() const { return b_.region.options.layout; }
  const Inst& Of(Value v) const { return b_.block.function[v]; }
  x86::Mem Field(size_t offset, uint32_t size = 8) const {
    return x86::ptr(context_, static_cast<int32_t>(offset), size);
  }
  x86::Mem Sgpr(int64_t sgpr, uint32_t size) const {
    return x86::ptr(state_, layout().sgpr + static_cast<int32_t>(sgpr) * 4, size);
  }
  // The lane's part of a VGPR.
  x86::Mem Vgpr(int64_t vgpr) const {
    return x86::dword_ptr(vgprs_, layout().vgpr + static_cast<int32_t>(vgpr) * kVgprBytes);
  }
  uint32_t MaskBytes() const { return static_cast<uint32_t>(b_.at.parts * b_.block.lanes / 8); }
  x86::Mem MaskOfSlice(int64_t pair) const {
    return x86::ptr(state_, slice_, 0, layout().sgpr + static_cast<int32_t>(pair) * 4, MaskBytes());
  }

  void EmitLanesOf(const x86::Mem& mask, const x86::Gp& to) {
    if (MaskBytes() == 8) {
      cc_.mov(to, mask);
    } else if (MaskBytes() == 4) {
      cc_.mov(to.r32(), mask);
    } else {
      cc_.movzx(to.r32(), mask);
    }
  }

  // The next of lanes_, whose numbers in the wave are those in the slice and what comes before it.
  void BeginLane() {
    cc_.test(lanes_, lanes_);
    cc_.jz(done_);
    cc_.tzcnt(lane_, lanes_);
    cc_.blsr(lanes_, lanes_);
    cc_.lea(lane_, x86::ptr(lane_, slice_, 3));
    cc_.lea(vgprs_, x86::ptr(state_, lane_, 2));
    cc_.mov(left_, Field(offsetof(RegionContext, loop.left)));
    for (const Stragglers::Pointer& pointer : plan_.pointers) LoadPointer(pointer);
    for (const Stragglers::Get& get : plan_.gets) {
      if (!PointerOf(get.read)) Load(get.read);
    }
  }

  const Stragglers::Pointer* PointerOf(Value v) const {
    const Op op = Of(v).op;
    if (op != Op::kGetVgpr && op != Op::kSetVgpr) return nullptr;
    return plan_.PointerWith(b_.block.function, Of(v).imm);
  }

  void LoadPointer(const Stragglers::Pointer& pointer) {
    const x86::Gp whole = cc_.newUInt64(), low = cc_.newUInt64();
    cc_.mov(whole.r32(), Vgpr(Of(pointer.high).imm));
    cc_.mov(low.r32(), Vgpr(Of(pointer.low).imm));
    cc_.shl(whole, 32);
    cc_.or_(whole, low);
    values_.DefinePointer(pointer.low, pointer.high, whole);
    pointers_.push_back({whole, cc_.newUInt64()});
  }

  // After the iteration.
  void AddToPointers() {
    for (size_t n = 0; n < pointers_.size(); ++n) {
      const Value step = plan_.pointers[n].step;
      const Inst& inst = Of(step);
      const auto [now, next] = pointers_[n];
      if (inst.op == Op::kConst && static_cast<uint32_t>(inst.imm) <= INT32_MAX) {
        cc_.lea(next, x86::ptr(now, static_cast<int32_t>(inst.imm)));
      } else {
        cc_.mov(next.r32(), values_.Whole(step).r32());
        cc_.add(next, now);
      }
    }
  }

  void Load(Value read) {
    const Inst& inst = Of(read);
    switch (inst.op) {
      case Op::kGetVgpr:
        if (IsInXmm(read)) {
          const x86::Xmm xmm = cc_.newXmm();
          cc_.vmovss(xmm, Vgpr(inst.imm));
          return values_.Define(read, xmm);
        }
        return LoadScalar(read, Vgpr(inst.imm), false);
      case Op::kGetSgpr: return LoadScalar(read, Sgpr(inst.imm, 4), false);
      case Op::kGetScc: return LoadScalar(read, x86::dword_ptr(state_, layout().scc), false);
      default: break;
    }
    if (inst.imm == ir::kExec) return values_.DefineAsSet(read);
    if (!IsMask(read)) return LoadScalar(read, Sgpr(inst.imm, 8), true);
    const x86::Gp bit = cc_.newUInt64();
    cc_.mov(bit, Sgpr(inst.imm, 8));
    cc_.shrx(bit, bit, lane_);
    cc_.and_(bit.r32(), 1);
    values_.DefineBit(read, bit.r32());
  }

  bool IsInXmm(Value read) const { return Of(read).op == Op::kGetVgpr && values_.IsFloat(read); }

  void LoadScalar(Value read, const x86::Mem& from, bool wide) {
    const x86::Gp gp = wide ? cc_.newUInt64() : cc_.newUInt32();
    cc_.mov(gp, from);
    values_.Define(read, gp);
  }

  // A lane mask that the loop changes.
  bool IsMask(Value read) const {
    if (Of(read).op != Op::kGetSgpr64) return false;
    return std::any_of(plan_.masks.begin(), plan_.masks.end(),
                       [&](Value set) { return Of(set).imm == Of(read).imm; });
  }

  // A value where it is written back to, or carried on.
  struct Result {
    std::optional<x86::Xmm> xmm;
    std::optional<x86::Gp> gp;
    std::optional<bool> bit;
  };
  Result ResultOf(Value v, bool is_mask, bool as_float) {
    if (is_mask) {
      const SingleLane::Bit bit = values_.BitOf(v);
      return {std::nullopt, bit.known ? std::nullopt : std::optional(bit.gp), bit.known};
    }
    if (as_float) return {values_.Float(v), std::nullopt, std::nullopt};
    return {std::nullopt, values_.Whole(v), std::nullopt};
  }

  // Iterations of a lane, to where it leaves.
  void EmitIteration() {
    const asmjit::Label head = cc_.newLabel(), left_loop = cc_.newLabel();
    cc_.bind(head);
    for (const Value v : plan_.ops) {
      const Inst& inst = Of(v);
      if (inst.op == Op::kSkipped) {
        NoteSkipped(v);
      } else {
        const bool is_load = inst.op == Op::kLoad;
        values_.Emit(v, is_load ? b_.accesses.sites.Of(v).index : 0);
      }
    }
    // All that either way wants is there before they part.
    std::vector<Result> carried, vgprs, masks, scalars;
    for (const Stragglers::Get& get : plan_.gets) {
      if (!get.next || get.next == get.read || IsExec(get.read) || PointerOf(get.read)) {
        carried.emplace_back();
        continue;
      }
      if (get.half >= 0) {
        const x86::Gp half = cc_.newUInt64();
        cc_.mov(half, values_.Whole(get.next));
        if (get.half == 1) cc_.shr(half, 32);
        carried.push_back({std::nullopt, half, std::nullopt});
        continue;
      }
      if (get.next_high) {
        carried.push_back({std::nullopt, Joined(get), std::nullopt});
        continue;
      }
      carried.push_back(ResultOf(get.next, IsMask(get.read), IsInXmm(get.read)));
    }
    AddToPointers();
    for (const Value set : plan_.vgprs) {
      if (PointerOf(set)) {
        vgprs.emplace_back();
        continue;
      }
      vgprs.push_back(ResultOf(Of(set).args[0], false, values_.HasFloat(Of(set).args[0])));
    }
    for (const Value set : plan_.masks) masks.push_back(ResultOf(Of(set).args[0], true, false));
    for (const Value set : plan_.scalars)
      scalars.push_back(ResultOf(Of(set).args[0], false, false));
    EmitLeave(left_loop);
    // A loop that pauses does so with all lanes of a slice.
    cc_.dec(left_);
    cc_.jz(miss_);
    CarryOn(carried);
    cc_.jmp(head);
    cc_.bind(left_loop);
    cc_.dec(left_);
    WriteBack(vgprs, masks);
    NoteLeast(scalars);
    cc_.jmp(next_lane_);
  }

  x86::Gp Joined(const Stragglers::Get& get) {
    const x86::Gp low = cc_.newUInt64(), both = cc_.newUInt64();
    cc_.mov(low.r32(), values_.Whole(get.next).r32());
    cc_.mov(both.r32(), values_.Whole(get.next_high).r32());
    cc_.shl(both, 32);
    cc_.or_(both, low);
    return both;
  }

  // EXEC of the next iteration is as a rule this one's without the lanes of a compare.
  void EmitLeave(const asmjit::Label& to) {
    const Value condition = b_.block.plan.loop->condition;
    const Inst& inst = Of(condition);
    if (inst.op == Op::kAndNot && values_.BitOf(inst.args[0]).known == true &&
        !values_.IsKnown(inst.args[1])) {
      cc_.j(values_.FlagsOf(inst.args[1]), to);
    } else if (inst.op == Op::kAnd && values_.BitOf(inst.args[0]).known == true &&
               !values_.IsKnown(inst.args[1])) {
      cc_.j(x86::negateCond(values_.FlagsOf(inst.args[1])), to);
    } else if (values_.IsKnown(condition)) {
      if (!*values_.BitOf(condition).known) cc_.jmp(to);
    } else {
      cc_.j(x86::negateCond(values_.FlagsOf(condition)), to);
    }
  }

  bool IsExec(Value read) const {
    return Of(read).op == Op::kGetSgpr64 && Of(read).imm == ir::kExec;
  }

  void NoteSkipped(Value skipped) {
    const auto& skips = b_.block.plan.loop->skips;
    const auto bit = std::find(skips.begin(), skips.end(), skipped) - skips.begin();
    const x86::Mem note = x86::byte_ptr(context_, left_, 0,
                                        static_cast<int32_t>(offsetof(RegionContext, loop_lanes)));
    const SingleLane::Bit mask = values_.BitOf(Of(skipped).args[0]);
    if (mask.known == false) return;
    if (mask.known) return cc_.or_(note, 1 << bit), void();
    const x86::Gp bits = cc_.newUInt32();
    cc_.mov(bits, mask.gp.r32());
    if (bit != 0) cc_.shl(bits, static_cast<int>(bit));
    cc_.or_(note, bits.r8());
  }

  // Of what the next iteration reads, some may be in registers that are to change.
  void CarryOn(std::vector<Result>& carried) {
    for (Result& result : carried) {
      if (!IsToChange(result)) continue;
      if (result.xmm) {
        const x86::Xmm copy = cc_.newXmm();
        cc_.vmovaps(copy, *result.xmm);
        result.xmm = copy;
      } else if (result.gp) {
        const x86::Gp copy = result.gp->size() == 8 ? cc_.newUInt64() : cc_.newUInt32();
        cc_.mov(copy, *result.gp);
        result.gp = copy;
      }
    }
    for (const auto& [now, next] : pointers_) cc_.mov(now, next);
    for (size_t n = 0; n < carried.size(); ++n) {
      const Value read = plan_.gets[n].read;
      if (carried[n].xmm) {
        cc_.vmovaps(values_.Float(read), *carried[n].xmm);
      } else if (carried[n].gp) {
        const x86::Gp to = IsMask(read) ? values_.BitOf(read).gp : values_.Whole(read);
        to.size() == 8 ? cc_.mov(to, *carried[n].gp) : cc_.mov(to, carried[n].gp->r32());
      } else if (carried[n].bit) {
        cc_.mov(values_.BitOf(read).gp, *carried[n].bit ? 1 : 0);
      }
    }
  }

  // Is the register that of something else that the loop carries?
  bool IsToChange(const Result& result) {
    if (!result.gp && !result.xmm) return false;
    const uint32_t id = result.gp ? result.gp->id() : result.xmm->id();
    return std::any_of(plan_.gets.begin(), plan_.gets.end(),
                       [&](const Stragglers::Get& get) { return values_.IsIn(get.read, id); });
  }

  void WriteBack(const std::vector<Result>& vgprs, const std::vector<Result>& masks) {
    for (size_t n = 0; n < vgprs.size(); ++n) {
      const x86::Mem to = Vgpr(Of(plan_.vgprs[n]).imm);
      if (const Stragglers::Pointer* const pointer = PointerOf(plan_.vgprs[n])) {
        const x86::Gp next = pointers_[static_cast<size_t>(pointer - plan_.pointers.data())].second;
        const bool is_low = Of(pointer->low).imm == Of(plan_.vgprs[n]).imm;
        const x86::Gp half = cc_.newUInt64();
        cc_.mov(half, next);
        if (!is_low) cc_.shr(half, 32);
        cc_.mov(to, half.r32());
        continue;
      }
      vgprs[n].xmm ? cc_.vmovss(to, *vgprs[n].xmm) : cc_.mov(to, vgprs[n].gp->r32());
    }
    const x86::Gp bit = cc_.newUInt64(), all = cc_.newUInt64(), set = cc_.newUInt64();
    cc_.mov(bit, 1);
    cc_.shlx(bit, bit, lane_);
    for (size_t n = 0; n < masks.size(); ++n) {
      const x86::Mem mask = Sgpr(Of(plan_.masks[n]).imm, 8);
      cc_.mov(all, mask);
      cc_.andn(all, bit, all);
      if (masks[n].bit == true) {
        cc_.or_(all, bit);
      } else if (masks[n].gp) {
        cc_.mov(set.r32(), masks[n].gp->r32());
        cc_.shlx(set, set, lane_);
        cc_.or_(all, set);
      }
      cc_.mov(mask, all);
    }
    const x86::Mem exec = Sgpr(ir::kExec, 8);
    cc_.mov(all, exec);
    cc_.andn(all, bit, all);
    cc_.mov(exec, all);
  }

  // Scalars are those of the lane that has made the most iterations.
  void NoteLeast(const std::vector<Result>& scalars) {
    cc_.cmp(left_, Field(offsetof(RegionContext, loop.least_left)));
    cc_.jae(next_lane_);
    cc_.mov(Field(offsetof(RegionContext, loop.least_left)), left_);
    for (size_t n = 0; n < scalars.size(); ++n) {
      const SavedScalars::Copy copy = last_.CopyOf(n);
      const x86::Mem slot = x86::ptr(slots_, copy.slot * 8, copy.is_wide ? 8 : 4);
      copy.is_wide ? cc_.mov(slot, *scalars[n].gp) : cc_.mov(slot, scalars[n].gp->r32());
    }
  }

  void EmitReturns() {
    const x86::Gp result = cc_.newUInt32();
    cc_.bind(done_);
    cc_.xor_(result, result);
    cc_.ret(result);
    const x86::Gp missed = cc_.newUInt32();
    cc_.bind(miss_);
    cc_.mov(missed, 1);
    cc_.ret(missed);
  }

  x86::Compiler& cc_;
  BlockParts& b_;
  const Stragglers& plan_;
  const SavedScalars& last_;
  const x86::Gp context_, state_, slots_, slice_, windows_, left_, lanes_, lane_, vgprs_;
  const asmjit::Label miss_, next_lane_, done_;
  SingleLane values_;
  uint64_t place_ = ~uint64_t{0};                      // the last one noted
  std::vector<std::pair<x86::Gp, x86::Gp>> pointers_;  // now, and after the iteration
};

}  // namespace

void EmitStragglerFunction(BlockParts& parts, const Stragglers& plan, const SavedScalars& last,
                           const asmjit::Label& entry) {
  x86::Compiler& cc = parts.region.functions.Compiler(parts.region);
  StragglerFunction(cc, parts, plan, last).Emit(entry);
}

}  // namespace gcnjit::backend
