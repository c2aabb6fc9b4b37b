#include "backend_x64/compile/region_emitter.h"

#include <algorithm>
#include <optional>

#include "backend_x64/compile/lane_guards.h"
#include "backend_x64/compile/lane_ranges.h"
#include "backend_x64/compile/row_indices.h"
#include "backend_x64/compile/scratch_resource.h"
#include "backend_x64/emit/block.h"
#include "backend_x64/host/region_exit.h"
#include "backend_x64/isa/avx2/isa.h"
#include "backend_x64/isa/avx2/lane_code.h"
#include "backend_x64/isa/avx512/isa.h"
#include "backend_x64/isa/avx512/lane_code.h"

namespace gcnjit::backend {

constexpr RegionEmitter::Reason RegionEmitter::kNotAllLanes = {"\nnot all lanes",
                                                               " (not all lanes)"};
constexpr RegionEmitter::Reason RegionEmitter::kBeyondLds = {"\nnot all in LDS",
                                                             " (not all in LDS)"};
constexpr RegionEmitter::Reason RegionEmitter::kOtherResource = {"\nanother resource",
                                                                 " (another resource)"};

RegionEmitter::RegionEmitter(const ir::Function& function, const CompileOptions& options,
                             CompiledRegion& region, asmjit::CodeHolder& code)
    : function_(function),
      options_(options),
      region_(region),
      a_(code),
      assembler_{a_, options, ConstantPool(a_), region.sites, a_.newLabel()},
      listing_(a_, assembler_.cold, options.notes.guest_comment, options.notes.listing,
               options.notes.spans ? &region.notes.spans : nullptr),
      relay_(assembler_, function, labels_),
      source_(function, options),
      ahead_(options.tuning->asks_in_loops ? PlanLoopAhead(function) : LoopAhead()) {
  if (options.notes.listing || options.notes.spans) assembler_.listing = &listing_;
  for (const ir::Block& block : function.blocks) labels_.emplace(block.begin, a_.newLabel());
}

void RegionEmitter::Emit() {
  std::vector<Second> others;
  for (size_t n = 0; n < function_.blocks.size(); ++n) EmitFirst(n, others);
  for (const Second& second : others) EmitSecond(second);
  EmitCold();
  Finish();
}

uint64_t RegionEmitter::BlockAfter(size_t n) const {
  return n + 1 < function_.blocks.size() ? function_.blocks[n + 1].begin : 0;
}

// The version that is most likely to fit; the other one, if code goes there.
void RegionEmitter::EmitFirst(size_t n, std::vector<Second>& others) {
  if (options_.before_block) options_.before_block();
  const ir::Block& block = function_.blocks[n];
  ir::Function alone = source_.Extract(n);
  BlockVersion version;
  a_.align(asmjit::AlignMode::kCode, 16);
  const size_t begin = a_.offset();
  a_.bind(labels_.at(block.begin));
  const bool is_group_code = ir::WaveOf(block.begin) >= 0;
  const std::vector<int> resources = ScratchResourcesOf(alone);
  if (!resources.empty()) {
    others.push_back({n, a_.newLabel(), &kOtherResource});
    EmitScratchTest(resources, others.back().label);
    AssumeScratchWords(alone, resources, options_.scratch);
  }
  const bool tests_exec = WantsFullExec(alone);
  if (tests_exec || source_.HasFullExec(n) || is_group_code) {
    version.general.label = a_.newLabel();
  }
  version.general.is_wanted = tests_exec;
  if (tests_exec) {
    a_.cmp(x86::qword_ptr(x86::rbx, options_.layout.sgpr + ir::kExec * 4), -1);
    a_.jne(version.general.label);
    AssumeFullExec(alone);
  }
  const asmjit::Label entry = labels_.at(block.begin);
  // In such a loop the next iteration may find another EXEC than this version takes for granted.
  const bool must_test_again = tests_exec && ChangesExecInLoop(alone);
  if (!is_group_code && !must_test_again) EmitStoringLoop(n, alone);
  bool has_guards = is_group_code && AssumeLaneGuards(alone);
  has_guards |= is_group_code && AssumeNarrowIndices(alone);
  if (relay_.MayRepeat()) region_.group.row_instructions = alone.blocks[0].instruction_count;
  // More is known of lanes where guards hold.
  version.lanes = source_.Rewrite(n, alone, ShapesOf(alone, is_group_code, has_guards));
  const bool is_all = function_.blocks.size() == 1 && !tests_exec;
  version.is_in_no_order =
      is_all && !options_.group.has_barriers && IsInNoOrder(alone, alone.blocks[0]);
  if (version.is_in_no_order && MayHaveFollowers(alone, alone.blocks[0])) {
    follow_ = version.follow.label = a_.newLabel();
  }
  EmitBlock(alone, version, BlockAfter(n));
  labels_[block.begin] = entry;
  NoteRange(n, begin, "");
  cold_end_.emplace_back(n, assembler_.cold.size());
  if (!version.general.is_wanted) return;
  others.push_back({n, version.general.label,
                    tests_exec || has_guards ? &kNotAllLanes : &kBeyondLds, !resources.empty()});
}

// Group code begins with the first wave's state, and goes on with the next group's.
std::vector<int> RegionEmitter::ScratchResourcesOf(const ir::Function& alone) const {
  const bool is_group_code = ir::WaveOf(alone.blocks[0].begin) >= 0;
  if (options_.scratch.word3 == 0 || is_group_code) return {};
  return FindScratchResources(alone);
}

void RegionEmitter::EmitScratchTest(const std::vector<int>& resources,
                                    const asmjit::Label& otherwise) {
  constexpr int kNoCarry = -1;  // what the low half of word 1 has not
  for (const int first : resources) {
    const auto word = [&](int number, int bytes = 4) {
      const int offset = options_.layout.sgpr + (first + number) * 4;
      return x86::ptr(x86::rbx, offset, static_cast<uint32_t>(bytes));
    };
    x86::Mem high1 = word(1, 2);
    high1.addOffset(2);
    a_.movzx(x86::eax, high1);
    a_.cmp(x86::eax, options_.scratch.high1);
    a_.jne(otherwise);
    a_.cmp(word(1, 2), kNoCarry);
    a_.je(otherwise);
    a_.cmp(word(3), options_.scratch.word3);
    a_.jne(otherwise);
  }
}

// The block's own lane shapes, if it has changed; group code in rows does.
const ir::RegionShapes* RegionEmitter::ShapesOf(ir::Function& alone, bool is_group_code,
                                                bool has_changed) {
  const int least_lanes = options_.isa == HostIsa::kAvx512 ? avx512::kLanes : avx2::kLanes;
  has_changed |= is_group_code && WriteRowIndices(alone, least_lanes);
  return has_changed ? source_.FindShapes(alone) : nullptr;
}

void RegionEmitter::EmitStoringLoop(size_t n, const ir::Function& alone) {
  std::optional<SunkStore> sunk = SinkStore(alone);
  const std::optional<asmjit::Label> otherwise =
      sunk ? EmitSunk(n, *std::move(sunk)) : EmitDisjoint(n, alone);
  if (otherwise) labels_[function_.blocks[n].begin] = *otherwise;
}

void RegionEmitter::EmitSecond(const Second& second) {
  if (options_.before_block) options_.before_block();
  ir::Function alone = source_.Extract(second.block);
  if (second.assumes_scratch) {
    AssumeScratchWords(alone, ScratchResourcesOf(alone), options_.scratch);
  }
  assembler_.NoteHeading(second.why->heading);
  a_.align(asmjit::AlignMode::kCode, 16);
  const size_t begin = a_.offset();
  a_.bind(second.label);
  BlockVersion version;
  // The next group of the row may fit the first version.
  version.row.ends = true;
  const uint64_t begin_of_block = alone.blocks[0].begin;
  const asmjit::Label entry = labels_.at(begin_of_block);
  const bool is_group_code = ir::WaveOf(begin_of_block) >= 0;
  if (!is_group_code) EmitStoringLoop(second.block, alone);
  version.lanes = source_.Rewrite(second.block, alone, ShapesOf(alone, is_group_code, false));
  EmitBlock(alone, version, /*next=*/0);
  labels_[begin_of_block] = entry;
  NoteRange(second.block, begin, second.why->version);
  cold_end_.emplace_back(second.block, assembler_.cold.size());
}

void RegionEmitter::EmitBlock(const ir::Function& alone, BlockVersion& version, uint64_t next) {
  const uint64_t begin = alone.blocks[0].begin;
  version.row.start = {options_.group.row_sgpr, options_.group.fixed};
  if (relay_.MayRepeat() && !version.row.ends) version.row.label = a_.newLabel();
  const auto asked_in = ahead_.asked_in.find(begin);
  version.ahead = asked_in == ahead_.asked_in.end() ? nullptr : &asked_in->second;
  version.is_asked_for = ahead_.asked_for.contains(begin);
  if (assembler_.listing != nullptr) listing_.Block(alone);
  if (options_.isa == HostIsa::kAvx512) {
    EmitBlockFor<avx512::Isa, avx512::LaneCode>(alone, version, next);
  } else {
    EmitBlockFor<avx2::Isa, avx2::LaneCode>(alone, version, next);
  }
}

template <typename Isa, typename LaneCode>
void RegionEmitter::EmitBlockFor(const ir::Function& alone, BlockVersion& version, uint64_t next) {
  const ir::Block& source = alone.blocks[0];
  Isa isa(assembler_);
  const BlockContext block(alone, source, version.lanes, isa.RegistersFor(alone, source),
                           version.Common());
  BlockParts parts(assembler_, version, block, isa);
  LaneCode lanes(parts);
  BlockEmitter emitter(parts, lanes);
  emitter.Emit();
  Terminator(assembler_, labels_, relay_).Emit(emitter, version, block, next);
}

void RegionEmitter::EmitCold() {
  if (!assembler_.cold.empty()) assembler_.NoteHeading("\nout of line");
  size_t cold = 0;
  for (const auto& [n, end] : cold_end_) {
    const size_t begin = a_.offset();
    for (; cold < end; ++cold) {
      if (assembler_.listing != nullptr) listing_.Cold(cold);
      assembler_.cold[cold]();
    }
    NoteRange(n, begin, " (out of line)");
  }
}

void RegionEmitter::Finish() {
  const auto common = [this](const char* text) {
    if (assembler_.listing != nullptr) listing_.Common(text);
  };
  common("\nall waves have ended");
  relay_.EmitAllEnded();
  common("\nexit");
  a_.bind(assembler_.exit);
  EmitLeave(a_);
  common("\nconstants");
  assembler_.constants.Emit();
  common("\nlanes one by one");
  assembler_.functions.Emit(assembler_);
  region_.temp_bytes = static_cast<size_t>(assembler_.frame.temps.size()) * ir::kLanes * 4;
  region_.slot_count = static_cast<size_t>(assembler_.frame.slots.size()) + 1;
  region_.writes = WritesOf(function_, /*of_group_code=*/false);
  region_.group.writes = WritesOf(function_, /*of_group_code=*/true);
  region_.group.reads = ReadFirstByGroupCode(function_);
  ResolveGuards(assembler_);
  region_.guarded = std::move(assembler_.faults.guarded);
  region_.guarded.shrink_to_fit();
}

// What has been emitted since `begin` is the block's.
void RegionEmitter::NoteRange(size_t n, size_t begin, const char* version) {
  if (!options_.notes.ranges || a_.offset() == begin) return;
  region_.notes.ranges.push_back(
      {ir::WithoutWave(function_.blocks[n].begin), version, begin, a_.offset() - begin});
}

}  // namespace gcnjit::backend
