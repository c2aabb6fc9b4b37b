#include "backend_x64/compiler.h"

#include <asmjit/x86.h>

#include "backend_x64/avx2/lanes.h"
#include "backend_x64/avx512/lanes.h"
#include "backend_x64/block_emitter.h"
#include "backend_x64/code_memory.h"
#include "backend_x64/listing.h"
#include "backend_x64/state_rules.h"
#include "backend_x64/stubs.h"

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
                constants_,
                region.sites,
                nullptr,
                options.first_window,
                {},
                a_.newLabel(),
                {},
                {},
                0x1F80u | options.base_env.bits},
        listing_(a_, shared_.cold, options.guest_comment) {
    if (options.listing) shared_.listing = &listing_;
    size_t sites = 0;
    for (const ir::Block& block : function.blocks) {
      labels_.emplace(block.begin, a_.newLabel());
      for (const Value v : block.insts) {
        const ir::Effect effect = ir::InfoOf(function[v].op).effect;
        sites += effect == ir::Effect::kRead || effect == ir::Effect::kWrite;
      }
    }
    region.sites.reserve(sites);
    shared_.site_addresses = region.sites.data();
  }

  void Emit() {
    std::vector<uint32_t> new_id(function_.insts.size());
    for (size_t n = 0; n < function_.blocks.size(); ++n) {
      const uint64_t next = n + 1 < function_.blocks.size() ? function_.blocks[n + 1].begin : 0;
      const ir::Function alone = Extract(function_, function_.blocks[n], new_id);
      a_.align(asmjit::AlignMode::kCode, 16);
      const size_t begin = a_.offset();
      TakeShapes(function_.blocks[n], new_id, alone.insts.size());
      EmitBlock(alone, next);
      NoteRange(function_.blocks[n], begin, /*out_of_line=*/false);
      cold_end_.push_back(shared_.cold.size());
    }
    if (!shared_.cold.empty()) Heading("\nout of line");
    size_t cold = 0;
    for (size_t n = 0; n < function_.blocks.size(); ++n) {
      const size_t begin = a_.offset();
      for (; cold < cold_end_[n]; ++cold) {
        if (shared_.listing != nullptr) listing_.Cold(cold);
        shared_.cold[cold]();
      }
      NoteRange(function_.blocks[n], begin, /*out_of_line=*/true);
    }
    Heading("\nexit");
    a_.bind(shared_.exit);
    EmitLeave(a_);
    Heading("\nconstants");
    constants_.Emit();
    region_.temp_bytes = static_cast<size_t>(shared_.temps.size()) * ir::kLanes * 4;
    region_.slot_count = static_cast<size_t>(shared_.slots.size()) + 1;
  }

  const std::unordered_map<uint64_t, asmjit::Label>& labels() const { return labels_; }
  const std::string& error() const { return shared_.error; }

 private:
  // Shapes of the block's values, by their new numbers.
  void TakeShapes(const ir::Block& block, const std::vector<uint32_t>& new_id, size_t count) {
    shared_.shapes.assign(count, {});
    if (options_.shapes == nullptr) return;
    shared_.patterns = &options_.shapes->patterns;
    for (const Value v : block.insts) {
      shared_.shapes[new_id[v.id]] = options_.shapes->of_value[v.id];
    }
  }

  void EmitBlock(const ir::Function& alone, uint64_t next) {
    const ir::Block& block = alone.blocks[0];
    if (shared_.listing != nullptr) listing_.Block(alone);
    a_.bind(labels_.at(block.begin));
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
  void NoteRange(const ir::Block& block, size_t begin, bool out_of_line) {
    if (!options_.ranges || a_.offset() == begin) return;
    region_.ranges.push_back({block.begin, out_of_line, begin, a_.offset() - begin});
  }

  void Heading(const char* text) {
    if (shared_.listing != nullptr) listing_.Heading(text);
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
      default:
        SetPc(block.targets[0]);
        Leave(static_cast<ir::ExitReason>(inst.imm));
        break;
    }
    emitter.FinishScalars();
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
    a_.mov(x86::rax, pc);
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
  ConstantPool constants_;
  RegionShared shared_;
  Listing listing_;
  std::unordered_map<uint64_t, asmjit::Label> labels_;
  std::vector<size_t> cold_end_;  // by block: pieces of out-of-line code up to its end
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

std::unique_ptr<CompiledRegion> Compile(const ir::Function& function, const CompileOptions& options,
                                        std::string* error) {
  *error = BrokenStateRule(function);
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
  region->code_bytes = code.codeSize();
  region->window_end = options.first_window + static_cast<uint32_t>(region->sites.size());
  region->code = CodeMemory::Instance().Add(code, error);
  if (region->code == nullptr) return nullptr;
  for (const auto& [pc, label] : emitter.labels()) {
    region->entries.emplace(pc, region->code + code.labelOffset(label));
  }
  if (options.listing) region->listing = logger.data();
  return region;
}

}  // namespace gcnjit::backend
