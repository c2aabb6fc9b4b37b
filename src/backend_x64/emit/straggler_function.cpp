#include "backend_x64/emit/straggler_function.h"

#include <algorithm>
#include <array>
#include <new>

#include "backend_x64/emit/lane_loads.h"
#include "backend_x64/emit/lane_state.h"
#include "backend_x64/emit/single_lane.h"
#include "backend_x64/host/new_code.h"

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;
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
        r_{cc.newUIntPtr(), cc.newUIntPtr(), cc.newUIntPtr(), cc.newUInt64(), cc.newUIntPtr(),
           cc.newUInt64(),  cc.newUInt64(),  cc.newUInt64(),  cc.newUInt64()},
        to_{NewLabel(cc), NewLabel(cc), NewLabel(cc)},
        values_(cc, parts.region.constants, parts.block, r_.lane),
        loads_(cc, parts.block, values_, {r_.context, r_.windows, to_.miss}),
        ops_(cc, parts.region, parts.block, values_),
        lane_state_(cc, parts, plan, values_, {r_.state, r_.slots, r_.lane}) {}

  void Emit(const asmjit::Label& entry) {
    using Signature =
        asmjit::FuncSignatureT<uint32_t, RegionContext*, std::byte*, uint64_t*, uint64_t>;
    cc_.bind(entry);
    asmjit::FuncNode* const function = cc_.addFunc(Signature(asmjit::CallConvId::kHost));
    if (function == nullptr) throw std::bad_alloc();  // which asmjit does not report
    function->frame().setAvxEnabled();
    const std::array arguments = {r_.context, r_.state, r_.slots, r_.slice};
    for (size_t n = 0; n < arguments.size(); ++n) function->setArg(n, arguments[n]);
    cc_.mov(r_.windows, Field(offsetof(RegionContext, region.windows)));
    EmitLanesOf(MaskOfSlice(ir::kExec), r_.lanes);
    cc_.bind(to_.next_lane);
    BeginLane();
    EmitIteration();
    EmitReturns();
    cc_.endFunc();
    b_.region.functions.Add(Functions::Place{entry, b_.block.source.begin, 0});
    for (const LaneLoads::Guarded& load : loads_.guarded()) {
      b_.region.functions.Add(Functions::Load{load.begin, load.end, to_.miss, load.site.index});
      const uint64_t pc = b_.region.SiteOf(load.site).pc;
      b_.region.functions.Add(Functions::Place{load.begin, b_.block.source.begin, pc});
      b_.region.functions.Add(Functions::Place{load.end, b_.block.source.begin, 0});
    }
  }

 private:
  const StateLayout& layout() const { return b_.region.options.layout; }
  const Inst& Of(Value v) const { return b_.block.function[v]; }
  x86::Mem Field(size_t offset, uint32_t size = 8) const {
    return x86::ptr(r_.context, static_cast<int32_t>(offset), size);
  }
  uint32_t MaskBytes() const { return static_cast<uint32_t>(b_.at.parts * b_.block.lanes / 8); }
  x86::Mem MaskOfSlice(int64_t pair) const {
    return x86::ptr(r_.state, r_.slice, 0, layout().sgpr + static_cast<int32_t>(pair) * 4,
                    MaskBytes());
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

  // The next of r_.lanes, whose numbers in the wave are those in the slice and what comes before
  // it.
  void BeginLane() {
    cc_.test(r_.lanes, r_.lanes);
    cc_.jz(to_.done);
    cc_.tzcnt(r_.lane, r_.lanes);
    cc_.blsr(r_.lanes, r_.lanes);
    cc_.lea(r_.lane, x86::ptr(r_.lane, r_.slice, 3));
    cc_.mov(r_.left, Field(offsetof(RegionContext, loop.left)));
    AddMore();
    lane_state_.Load();
  }

  // Iterations of a lane, to where it leaves.
  void EmitIteration() {
    const asmjit::Label head = NewLabel(cc_), left_loop = NewLabel(cc_);
    const asmjit::Label too_long = NewLabel(cc_);
    cc_.bind(head);
    for (const Value v : plan_.ops) {
      switch (Of(v).op) {
        case Op::kSkipped: NoteSkipped(v); break;
        case Op::kLoad: loads_.Emit(v, b_.accesses.sites.Of(v)); break;
        case Op::kLoadLds: loads_.EmitLds(v); break;
        default: ops_.Emit(v); break;
      }
    }
    lane_state_.TakeResults();
    EmitLeave(left_loop);
    cc_.dec(r_.left);
    cc_.jz(too_long);
    lane_state_.CarryOn();
    cc_.jmp(head);
    cc_.bind(left_loop);
    cc_.dec(r_.left);
    if (MayMakeMore()) cc_.sub(r_.left, r_.more);
    lane_state_.WriteBack();
    NoteLeast();
    cc_.jmp(to_.next_lane);
    cc_.bind(too_long);
    Pause();
  }

  // EXEC of the next iteration is as a rule this one's without the lanes of a compare.
  void EmitLeave(const asmjit::Label& to) {
    const Value condition = b_.block.plan.loop->branch.condition;
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

  // The wave's only lane pauses; others do so together, in the slice's code.
  void Pause() {
    if (MayMakeMore()) {
      const asmjit::Label together = NewLabel(cc_);
      cc_.test(r_.more, r_.more);
      cc_.jz(together);
      lane_state_.WriteForLater();
      cc_.mov(Field(offsetof(RegionContext, loop.paused), 4), 1);
      cc_.sub(r_.left, r_.more);
      NoteLeast();
      cc_.jmp(to_.done);
      cc_.bind(together);
    }
    cc_.mov(Field(offsetof(RegionContext, loop.stays_together), 4), 1);
    cc_.jmp(to_.miss);
  }

  // What is skipped is noted for so many iterations as a slice makes.
  bool MayMakeMore() const { return plan_.may_pause && b_.block.plan.loop->skips.empty(); }

  // The wave's only lane need not pause so soon: no other one will.
  void AddMore() {
    if (!MayMakeMore()) return;
    constexpr uint32_t kTimes = 32;
    const x86::Gp only = cc_.newUInt64(), more = cc_.newUInt64();
    cc_.mov(only, 1);
    cc_.shlx(only, only, r_.lane);
    cc_.mov(more, kTimes * b_.block.LoopIterations());
    cc_.mov(r_.more, 0);
    cc_.cmp(only, x86::qword_ptr(r_.state, layout().sgpr + ir::kExec * 4));
    cc_.cmove(r_.more, more);
    cc_.add(r_.left, r_.more);
  }

  void NoteSkipped(Value skipped) {
    const auto& skips = b_.block.plan.loop->skips;
    const auto bit = std::find(skips.begin(), skips.end(), skipped) - skips.begin();
    const x86::Mem note = x86::byte_ptr(r_.context, r_.left, 0,
                                        static_cast<int32_t>(offsetof(RegionContext, loop_lanes)));
    const LaneValues::Bit mask = values_.BitOf(Of(skipped).args[0]);
    if (mask.known == false) return;
    if (mask.known) return cc_.or_(note, 1 << bit), void();
    const x86::Gp bits = cc_.newUInt32();
    cc_.mov(bits, mask.gp.r32());
    if (bit != 0) cc_.shl(bits, static_cast<int>(bit));
    cc_.or_(note, bits.r8());
  }

  // Scalars are those of the lane that has made the most iterations.
  void NoteLeast() {
    cc_.cmp(r_.left, Field(offsetof(RegionContext, loop.least_left)));
    const asmjit::Label is_not = NewLabel(cc_);
    cc_.jge(is_not);
    cc_.mov(Field(offsetof(RegionContext, loop.least_left)), r_.left);
    lane_state_.Save(last_);
    cc_.bind(is_not);
  }

  void EmitReturns() {
    const x86::Gp result = cc_.newUInt32();
    cc_.bind(to_.done);
    cc_.xor_(result, result);
    cc_.ret(result);
    const x86::Gp missed = cc_.newUInt32();
    cc_.bind(to_.miss);
    cc_.mov(missed, 1);
    cc_.ret(missed);
  }

  x86::Compiler& cc_;
  BlockParts& b_;
  const Stragglers& plan_;
  const SavedScalars& last_;
  // Registers of the function: its arguments, and where it is.
  const struct {
    x86::Gp context, state, slots, slice;
    x86::Gp windows;
    x86::Gp left;   // iterations that the lane may still make
    x86::Gp lanes;  // that are left
    x86::Gp lane;
    x86::Gp more;  // iterations that it may make besides the slice's
  } r_;
  const struct { asmjit::Label miss, next_lane, done; } to_;
  LaneValues values_;
  LaneLoads loads_;
  SingleLane ops_;
  uint64_t place_ = ~uint64_t{0};  // the last one noted
  LaneState lane_state_;
};

}  // namespace

void EmitStragglerFunction(BlockParts& parts, const Stragglers& plan, const SavedScalars& last,
                           const asmjit::Label& entry) {
  x86::Compiler& cc = parts.region.functions.Compiler(parts.region);
  StragglerFunction(cc, parts, plan, last).Emit(entry);
}

}  // namespace gcnjit::backend
