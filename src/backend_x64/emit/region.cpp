#include "backend_x64/emit/region.h"

#include <asmjit/x86.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backend_x64/emit/block.h"
#include "backend_x64/host/code_memory.h"
#include "backend_x64/host/listing.h"
#include "backend_x64/host/region_exit.h"
#include "backend_x64/isa/avx2/lanes.h"
#include "backend_x64/isa/avx512/lanes.h"
#include "backend_x64/plan/block_invariants.h"
#include "backend_x64/plan/loop_condition.h"
#include "ir/passes.h"
#include "ir/rewrite/clone_compares.h"
#include "ir/rewrite/exit_masks.h"
#include "ir/rewrite/identity_permutes.h"
#include "ir/rewrite/invert_compares.h"
#include "ir/rewrite/scalar_compares.h"

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;
using ir::Value;

// A block alone, its values numbered densely: what the emitter keeps by value is as large as the
// block, not as the region.
ir::Function Extract(const ir::Function& region, const ir::Block& block,
                     std::vector<uint32_t>& new_id) {
  ir::Function alone;
  alone.insts.reserve(block.insts.size() + 1);
  alone.patterns = region.patterns;
  alone.blocks.push_back(block);
  for (Value& v : alone.blocks[0].insts) {
    Inst inst = region[v];
    for (int n = 0; n < inst.argument_count; ++n) inst.args[n] = {new_id[inst.args[n].id]};
    new_id[v.id] = static_cast<uint32_t>(alone.insts.size());
    v = {new_id[v.id]};
    alone.insts.push_back(inst);
  }
  return alone;
}

bool ReadsExec(const Inst& inst) { return inst.op == Op::kGetSgpr64 && inst.imm == ir::kExec; }

bool WritesExec(const Inst& inst) {
  return (inst.op == Op::kSetSgpr64 && inst.imm == ir::kExec) ||
         (inst.op == Op::kSetSgpr && (inst.imm == ir::kExec || inst.imm == ir::kExec + 1));
}

// Is code for the case that EXEC has all lanes at the block's begin worth having? Memory accesses
// are much shorter without masks. A loop's own iterations must not change EXEC, since they do not
// come by the begin.
bool WantsFullExec(const ir::Function& alone) {
  const ir::Block& block = alone.blocks[0];
  bool has_masked_access = false;
  bool writes_exec = false;
  for (const Value v : block.insts) {
    const Inst& inst = alone[v];
    writes_exec |= WritesExec(inst);
    const ir::Effect effect = ir::InfoOf(inst.op).effect;
    if (effect != ir::Effect::kRead && effect != ir::Effect::kWrite) continue;
    for (int n = 0; n < inst.argument_count; ++n) {
      has_masked_access |= ReadsExec(alone[inst.args[n]]);
    }
  }
  const bool is_loop = block.targets[0] == block.begin || block.targets[1] == block.begin;
  return has_masked_access && !(is_loop && writes_exec);
}

// The block, given that the masks for which `is_ones` holds have all lanes at its begin.
template <typename F>
void AssumeOnes(ir::Function& alone, const F& is_ones) {
  bool has_any = false;
  for (const Value v : alone.blocks[0].insts) {
    Inst& inst = alone[v];
    if (!is_ones(inst)) continue;
    inst.op = Op::kConst;
    inst.imm = -1;
    has_any = true;
  }
  if (!has_any) return;
  ir::FoldInstructions(alone);
  ir::RemoveDead(alone);
}

// Why a block's first version does not fit: for the listing, and CodeRange::version.
struct Reason {
  const char* heading;
  const char* version;
};
constexpr Reason kNotAllLanes = {"\nnot all lanes", " (not all lanes)"};
constexpr Reason kBeyondLds = {"\nnot all in LDS", " (not all in LDS)"};

// Does what the block executes depend on data?
bool SkipsInstructions(const ir::Function& function, const ir::Block& block) {
  return std::any_of(block.insts.begin(), block.insts.end(),
                     [&](Value v) { return function[v].op == Op::kSkipped; });
}

class RegionEmitter {
 public:
  RegionEmitter(const ir::Function& function, const CompileOptions& options, CompiledRegion& region,
                asmjit::CodeHolder& code)
      : function_(function),
        options_(options),
        region_(region),
        a_(&code),
        constants_(a_),
        shared_{a_,
                options.layout,
                *options.tuning,
                constants_,
                region.sites,
                nullptr,
                {},
                a_.newLabel(),
                {},
                {},
                0x1F80u | options.base_env.bits},
        ahead_(options.tuning->asks_in_loops ? PlanLoopAhead(function) : LoopAhead()),
        listing_(a_, shared_.cold, options.guest_comment, options.listing,
                 options.spans ? &region.spans : nullptr) {
    shared_.group_lds_bytes = options.group_lds_bytes;
    shared_.row_start = {options.row_sgpr, options.fixed};
    if (options.listing || options.spans) shared_.listing = &listing_;
    size_t sites = 0;
    for (size_t n = 0; n < function.blocks.size(); ++n) {
      const ir::Block& block = function.blocks[n];
      labels_.emplace(block.begin, a_.newLabel());
      if (ir::WaveOf(block.begin) >= 0) {
        if (group_begin_ == 0) group_begin_ = block.begin;
        behind_in_group_[block.begin] =
            n + 1 < function.blocks.size() ? function.blocks[n + 1].begin : 0;
      }
      for (const Value v : block.insts) {
        const ir::Effect effect = ir::InfoOf(function[v].op).effect;
        sites += effect == ir::Effect::kRead || effect == ir::Effect::kWrite;
      }
    }
    if (function.blocks.size() == 1 && group_begin_ != 0) {
      region.row_instructions = function.blocks[0].instruction_count;
    }
    region.sites.reserve(sites * 2);  // of both versions
    shared_.site_addresses = region.sites.data();
  }

  void Emit() {
    std::vector<uint32_t> new_id(function_.insts.size());
    struct Second {
      size_t block;
      asmjit::Label label;
      const Reason* why;
    };
    std::vector<Second> general;  // versions of blocks, for when the first ones do not fit
    for (size_t n = 0; n < function_.blocks.size(); ++n) {
      const ir::Block& block = function_.blocks[n];
      ir::Function alone = ExtractBlock(n, new_id);
      a_.align(asmjit::AlignMode::kCode, 16);
      const size_t begin = a_.offset();
      a_.bind(labels_.at(block.begin));
      const bool tests_exec = WantsFullExec(alone);
      const bool is_group_code = ir::WaveOf(block.begin) >= 0;
      if (tests_exec || HasFullExec(n) || is_group_code) shared_.general = a_.newLabel();
      shared_.wants_general = tests_exec;
      if (tests_exec) {
        a_.cmp(x86::qword_ptr(x86::rbx, options_.layout.sgpr + ir::kExec * 4), -1);
        a_.jne(shared_.general);
        AssumeOnes(alone, ReadsExec);
      }
      TakeShapes(block, new_id, alone);
      const bool is_all = function_.blocks.size() == 1 && !tests_exec;
      shared_.is_in_no_order =
          is_all && !options_.group_has_barriers && IsInNoOrder(alone, alone.blocks[0]);
      if (shared_.is_in_no_order && MayHaveFollowers(alone, alone.blocks[0])) {
        shared_.follow = a_.newLabel();
      }
      const uint64_t next = n + 1 < function_.blocks.size() ? function_.blocks[n + 1].begin : 0;
      EmitBlock(alone, next);
      if (shared_.wants_general) {
        general.push_back({n, shared_.general, tests_exec ? &kNotAllLanes : &kBeyondLds});
      }
      shared_.general = {};
      NoteRange(block, begin, "");
      cold_end_.emplace_back(n, shared_.cold.size());
    }
    for (const auto& [n, label, why] : general) {
      const ir::Block& block = function_.blocks[n];
      ir::Function alone = ExtractBlock(n, new_id);
      Heading(why->heading);
      a_.align(asmjit::AlignMode::kCode, 16);
      const size_t begin = a_.offset();
      a_.bind(label);
      TakeShapes(block, new_id, alone);
      EmitBlock(alone, /*next=*/0);
      NoteRange(block, begin, why->version);
      cold_end_.emplace_back(n, shared_.cold.size());
    }
    if (!shared_.cold.empty()) Heading("\nout of line");
    size_t cold = 0;
    for (const auto& [n, end] : cold_end_) {
      const size_t begin = a_.offset();
      for (; cold < end; ++cold) {
        if (shared_.listing != nullptr) listing_.Cold(cold);
        shared_.cold[cold]();
      }
      NoteRange(function_.blocks[n], begin, " (out of line)");
    }
    Common("\nall waves have ended");
    a_.bind(all_ended_);
    EmitAllEnded();
    Common("\nexit");
    a_.bind(shared_.exit);
    EmitLeave(a_);
    Common("\nconstants");
    constants_.Emit();
    region_.temp_bytes = static_cast<size_t>(shared_.temps.size()) * ir::kLanes * 4;
    region_.slot_count = static_cast<size_t>(shared_.slots.size()) + 1;
    region_.writes = WritesOf(function_, /*of_group_code=*/false);
    region_.group_writes = WritesOf(function_, /*of_group_code=*/true);
    region_.group_reads = ReadFirstByGroupCode(function_);
    ResolveGuards(shared_);
    region_.guarded = std::move(shared_.guarded);  // noted as it was emitted: in ascending order
    region_.guarded.shrink_to_fit();
  }

  const std::unordered_map<uint64_t, asmjit::Label>& labels() const { return labels_; }
  const asmjit::Label& follow() const { return shared_.follow; }
  // The address of the first block of group code; 0: there is none.
  uint64_t group_begin() const { return group_begin_; }
  const std::string& error() const { return shared_.error; }

 private:
  // Is it known that EXEC has all lanes at the block's begin, and does the block want to know?
  bool HasFullExec(size_t n) const {
    if (options_.shapes == nullptr) return false;
    const auto& ones = options_.shapes->ones_at_begin[n];
    return ones[ir::kExec] && ones[ir::kExec + 1];
  }

  // A block by itself, with what is known of its SGPRs in place of these.
  ir::Function ExtractBlock(size_t n, std::vector<uint32_t>& new_id) const {
    ir::Function alone = Extract(function_, function_.blocks[n], new_id);
    if (options_.shapes == nullptr) return alone;
    ir::SimplifyExitMasks(alone, options_.shapes->apart_at_begin[n]);
    const auto& ones = options_.shapes->ones_at_begin[n];
    AssumeOnes(alone, [&](const Inst& inst) {
      const auto sgpr = static_cast<size_t>(inst.imm);
      return inst.op == Op::kGetSgpr64 && ones[sgpr] && ones[sgpr + 1];
    });
    return alone;
  }

  // Shapes of the block's values, by their new numbers, and what follows from them.
  void TakeShapes(const ir::Block& block, const std::vector<uint32_t>& new_id,
                  ir::Function& alone) {
    CompareNextValue(alone);  // behind all folding, which would undo it
    shared_.shapes.assign(alone.insts.size(), {});
    if (options_.shapes != nullptr) {
      shared_.patterns = &options_.shapes->patterns;
      for (const Value v : block.insts) {
        shared_.shapes[new_id[v.id]] = options_.shapes->of_value[v.id];
      }
      ir::ScalarizeCompares(alone, *shared_.patterns, shared_.shapes);
    }
    ir::RemoveIdentityPermutes(alone, shared_.shapes);
    ir::CloneCompares(alone, shared_.shapes);
    if (options_.isa == HostIsa::kAvx2) ir::InvertCompares(alone, shared_.shapes);
  }

  void EmitBlock(const ir::Function& alone, uint64_t next) {
    const ir::Block& block = alone.blocks[0];
    shared_.row = region_.row_instructions != 0 ? a_.newLabel() : asmjit::Label();
    shared_.row_common = {};
    const auto asked_in = ahead_.asked_in.find(block.begin);
    shared_.ahead = asked_in == ahead_.asked_in.end() ? nullptr : &asked_in->second;
    shared_.is_asked_for = ahead_.asked_for.contains(block.begin);
    if (shared_.listing != nullptr) listing_.Block(alone);
    if (options_.isa == HostIsa::kAvx512) {
      avx512::LaneEmitter emitter(shared_, alone, block);
      EmitBlockWith(emitter, block, next);
    } else {
      avx2::LaneEmitter emitter(shared_, alone, block);
      EmitBlockWith(emitter, block, next);
    }
  }

  void EmitBlockWith(BlockEmitter& emitter, const ir::Block& block, uint64_t next) {
    if (emitter.IsLoop()) {
      emitter.EmitLoop();
      EmitPause(block);
      Go(block, emitter.AfterLoop(), next);
    } else {
      emitter.EmitBody();
      EmitTerminator(emitter, block, next);
    }
  }

  // Continues a loop that has used up its iterations, unless other waves want their turn.
  void EmitPause(const ir::Block& block) {
    const asmjit::Label paused = a_.newLabel();
    a_.cmp(x86::dword_ptr(x86::r12, offsetof(RegionContext, loop_paused)), 0);
    a_.jne(paused);
    shared_.cold.push_back([this, paused, begin = block.begin] {
      a_.bind(paused);
      a_.mov(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, executed)));
      a_.cmp(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, budget)));
      a_.jb(labels_.at(begin));
      SetPc(begin);
      Leave(ir::ExitReason::kNext);
    });
  }

  // What has been emitted since `begin` is the block's.
  void NoteRange(const ir::Block& block, size_t begin, const char* version) {
    if (!options_.ranges || a_.offset() == begin) return;
    region_.ranges.push_back({ir::WithoutWave(block.begin), version, begin, a_.offset() - begin});
  }

  void Heading(const char* text) {
    if (shared_.listing != nullptr) listing_.Heading(text);
  }

  void Common(const char* text) {
    if (shared_.listing != nullptr) listing_.Common(text);
  }

  void EmitTerminator(BlockEmitter& emitter, const ir::Block& block, uint64_t next) {
    const Inst& inst = emitter.terminator();
    if (shared_.listing != nullptr) listing_.Op(block.insts.back());
    switch (inst.op) {
      case Op::kJump: Go(block, block.targets[0], next); break;
      case Op::kBranch: {
        const x86::Gp condition = x86::gpd(static_cast<uint32_t>(emitter.UseScalar(inst.args[0])));
        const asmjit::Label taken = a_.newLabel();
        a_.test(condition, condition);
        a_.jnz(taken);
        // Falling through is best at the end: emit the false side first if it is not next.
        Go(block, block.targets[1], 0);
        a_.bind(taken);
        Go(block, block.targets[0], next);
        break;
      }
      case Op::kJumpIndirect: {
        const x86::Gp target = x86::gpq(static_cast<uint32_t>(emitter.UseScalar(inst.args[0])));
        a_.mov(x86::ptr(x86::rbx, options_.layout.pc), target);
        Leave(ir::ExitReason::kNext);
        break;
      }
      default: {
        const auto reason = static_cast<ir::ExitReason>(inst.imm);
        if (ir::WaveOf(block.begin) >= 0) {
          GoOnInGroup(block, next);
          break;
        }
        if (shared_.may_be_followed) {
          end_pc_ = block.targets[0];
          EndFollowedWave();
          break;
        }
        SetPc(block.targets[0]);
        if (reason == ir::ExitReason::kBarrier && labels_.contains(block.targets[0])) {
          HandOver(labels_.at(block.targets[0]));
        } else if (reason == ir::ExitReason::kEnd) {
          EndWave();
        } else {
          Leave(reason);
        }
        break;
      }
    }
    emitter.FinishScalars();
  }

  // At a barrier: the wave will go on at `behind`, and it is the next one's turn.
  void HandOver(const asmjit::Label& behind) {
    const asmjit::Label go_on = a_.newLabel();
    const asmjit::Label all_arrived = a_.newLabel();
    a_.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, relay)));
    a_.lea(x86::rax, x86::ptr(behind));
    a_.mov(x86::ptr(x86::rdx, offsetof(RelayWave, code)), x86::rax);
    a_.add(x86::rdx, sizeof(RelayWave));
    a_.cmp(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, relay_end)));
    a_.je(all_arrived);
    a_.bind(go_on);
    RelayTo();
    shared_.cold.push_back([this, go_on, all_arrived] {
      const asmjit::Label leave = a_.newLabel();
      a_.bind(all_arrived);
      a_.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, relay_begin)));
      a_.test(x86::rdx, x86::rdx);
      a_.jz(leave);
      a_.inc(x86::qword_ptr(x86::r12, offsetof(RegionContext, rounds)));
      a_.mov(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, executed)));
      a_.cmp(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, budget)));
      a_.jb(go_on);
      a_.bind(leave);
      Leave(ir::ExitReason::kBarrier);
    });
  }

  // In group code, at a barrier or at the end of a wave: the block behind has its own wave.
  void GoOnInGroup(const ir::Block& block, uint64_t next) {
    const uint64_t behind = behind_in_group_.at(block.begin);
    if (behind == 0) {
      end_pc_ = ir::WithoutWave(block.targets[0]);
      if (region_.row_instructions != 0) GoOnInRow();
      a_.jmp(all_ended_);
      return;
    }
    const int distance = ir::WaveOf(behind) - ir::WaveOf(block.begin);
    if (distance != 0) {
      a_.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, relay)));
      a_.add(x86::rdx, distance * static_cast<int>(sizeof(RelayWave)));
      a_.mov(x86::ptr(x86::r12, offsetof(RegionContext, relay)), x86::rdx);
      a_.mov(x86::rbx, x86::ptr(x86::rdx, offsetof(RelayWave, state)));
    }
    if (behind != next) a_.jmp(labels_.at(behind));
  }

  // All of a group's waves have ended: the group behind it may begin where it did.
  void GoOnInRow() {
    if (SkipsInstructions(function_, function_.blocks[0])) {
      a_.cmp(x86::byte_ptr(x86::r12, offsetof(RegionContext, ends_row)), 0);
      a_.jne(all_ended_);
    }
    a_.dec(x86::qword_ptr(x86::r12, offsetof(RegionContext, row_left)));
    a_.jz(all_ended_);
    CountRowId();
    EmitHeld(a_, shared_.row_common);
    a_.jmp(shared_.row);
  }

  // The next group's id. Its accesses wait for it: by way of a pointer, or loaded again where it
  // has just been stored, it would come late.
  void CountRowId() {
    if (options_.row_sgpr < 0) return;
    const int held = shared_.row_common.row_id;
    const x86::Gp id = held < 0 ? x86::eax : x86::gpd(static_cast<uint32_t>(held));
    const x86::Mem memory = x86::dword_ptr(x86::rbx, options_.layout.sgpr + options_.row_sgpr * 4);
    a_.mov(id, memory);
    a_.inc(id);
    a_.mov(memory, id);
  }

  // At the end of a wave: the next one's turn, or nobody's.
  void EndWave() {
    a_.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, relay)));
    a_.mov(x86::qword_ptr(x86::rdx, offsetof(RelayWave, code)), 0);
    a_.mov(x86::qword_ptr(x86::r12, offsetof(RegionContext, relay_begin)), 0);
    TakeNextOrEnd();
  }

  // The same where waves end in their order, which says all that is to know.
  void EndFollowedWave() {
    a_.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, relay)));
    TakeNextOrEnd();
  }

  // rdx: the wave that has ended.
  void TakeNextOrEnd() {
    a_.add(x86::rdx, sizeof(RelayWave));
    a_.cmp(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, relay_end)));
    a_.je(all_ended_);
    RelayTo();
  }

  // The wave at rdx.
  void RelayTo() {
    a_.mov(x86::ptr(x86::r12, offsetof(RegionContext, relay)), x86::rdx);
    a_.mov(x86::rbx, x86::ptr(x86::rdx, offsetof(RelayWave, state)));
    a_.jmp(x86::ptr(x86::rdx, offsetof(RelayWave, code)));
  }

  // The last wave of a relay has ended: others may have their turn.
  void EmitAllEnded() {
    const asmjit::Label leave = a_.newLabel();
    a_.mov(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, next_waves)));
    a_.test(x86::rax, x86::rax);
    a_.jz(leave);
    a_.vzeroupper();
    a_.mov(x86::rdi, x86::r12);
    a_.sub(x86::rsp, 8);  // calls want it to be a multiple of 16
    a_.call(x86::rax);
    a_.add(x86::rsp, 8);
    a_.mov(x86::rdx, x86::rax);
    a_.test(x86::rax, x86::rax);
    a_.jz(leave);
    RelayTo();
    a_.bind(leave);
    if (end_pc_) SetPc(*end_pc_);
    Leave(ir::ExitReason::kEnd);
  }

  // Continues at a guest address: in this region if it has a block there.
  void Go(const ir::Block& block, uint64_t target, uint64_t next) {
    const auto found = labels_.find(target);
    if (found == labels_.end()) {
      SetPc(target);
      Leave(ir::ExitReason::kNext);
      return;
    }
    if (target <= block.begin) {
      // A loop: other waves want their turn, and somebody may want the launch to stop.
      const asmjit::Label pause = a_.newLabel();
      a_.mov(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, executed)));
      a_.cmp(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, budget)));
      a_.jae(pause);
      a_.jmp(found->second);
      shared_.cold.push_back([this, pause, target] {
        a_.bind(pause);
        SetPc(target);
        Leave(ir::ExitReason::kNext);
      });
      return;
    }
    if (target != next) a_.jmp(found->second);
  }

  void SetPc(uint64_t pc) {
    a_.mov(x86::rax, pc - options_.code_base);
    a_.add(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, code_base)));
    a_.mov(x86::ptr(x86::rbx, options_.layout.pc), x86::rax);
  }
  void Leave(ir::ExitReason reason) {
    a_.mov(x86::eax, static_cast<uint32_t>(reason));
    a_.jmp(shared_.exit);
  }

  const ir::Function& function_;
  const CompileOptions& options_;
  CompiledRegion& region_;
  x86::Assembler a_;
  const asmjit::Label all_ended_ = a_.newLabel();
  ConstantPool constants_;
  RegionShared shared_;
  const LoopAhead ahead_;
  Listing listing_;
  std::unordered_map<uint64_t, asmjit::Label> labels_;
  // Of group code: its first block, and which one is behind each, 0 for none.
  uint64_t group_begin_ = 0;
  std::unordered_map<uint64_t, uint64_t> behind_in_group_;
  // Behind the end of waves that may be followed, or of all waves of a group: the last one's PC.
  std::optional<uint64_t> end_pc_;
  // Blocks as they were emitted, and how many pieces of out-of-line code there were then.
  std::vector<std::pair<size_t, size_t>> cold_end_;
};

// asmjit reports what it refuses to encode through this; any such report is a bug of ours.
class ErrorKeeper : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    if (text.empty()) text = message;
  }
  std::string text;
};

}  // namespace

CompiledRegion::~CompiledRegion() {
  if (code != nullptr) CodeMemory::Instance().Release(code);
}

void Lower(ir::Function& function, HostIsa isa) {
  if (isa == HostIsa::kAvx512) ir::FuseBitwise(function);
}

bool CompiledRegion::Place(std::span<const std::byte> bytes, std::string* error) {
  code = CodeMemory::Instance().Add(bytes, error);
  code_bytes = bytes.size();
  return code != nullptr;
}

std::unique_ptr<CompiledRegion> Compile(const ir::Function& function, const CompileOptions& options,
                                        std::string* error) {
  *error = BrokenInvariant(function);
  if (!error->empty()) return nullptr;
  auto region = std::make_unique<CompiledRegion>();
  asmjit::CodeHolder code;
  ErrorKeeper errors;
  asmjit::StringLogger logger;
  code.init(asmjit::Environment::host());
  code.setErrorHandler(&errors);
  if (options.listing) {
    SetUpLogger(logger);
    code.setLogger(&logger);
  }
  RegionEmitter emitter(function, options, *region, code);
  emitter.Emit();
  if (errors.text.empty()) errors.text = emitter.error();
  if (!errors.text.empty()) {
    *error = errors.text;
    return nullptr;
  }
  // Code without addresses in it may be moved and kept (region_image.h).
  if (!code.relocEntries().empty()) {
    *error = "the code depends on where it lies";
    return nullptr;
  }
  region->code_bytes = code.codeSize();
  region->code_base = options.code_base;
  region->code = CodeMemory::Instance().Add(code, error);
  if (region->code == nullptr) return nullptr;
  for (const auto& [pc, label] : emitter.labels()) {
    const std::byte* const at = region->code + code.labelOffset(label);
    if (pc == emitter.group_begin()) region->group = at;
    if (ir::WaveOf(pc) < 0) region->entries.emplace(pc, at);
  }
  if (code.isLabelBound(emitter.follow())) {
    region->follow = region->code + code.labelOffset(emitter.follow());
  }
  if (options.listing) region->listing = logger.data();
  return region;
}

}  // namespace gcnjit::backend
