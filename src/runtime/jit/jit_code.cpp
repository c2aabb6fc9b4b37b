#include "runtime/jit/jit_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "frontend/cfg.h"
#include "frontend/liveness.h"
#include "frontend/merge_blocks.h"
#include "ir/passes.h"
#include "runtime/jit/host_code_map.h"
#include "runtime/jit/start_shapes.h"
#include "runtime/wave_state.h"

namespace gcnjit::runtime {
namespace {

// A region is at most this long; longer code is entered again where it ends.
constexpr size_t kMaxInstructions = 20'000;

// About what an element of a hash map takes.
constexpr uint64_t kNodeBytes = 64;

uint64_t NextGeneration() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1);
}

uint64_t NextRegion() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1);
}

frontend::LiveAtEnd LiveAtEndFor(const JitOptions& options) {
  frontend::LiveAtEnd at_end;
  if (options.exact_state) {
    at_end.live.vgprs.set();
    at_end.live.sgprs.set();
    at_end.live.scc = true;
    at_end.wide.set();
  }
  return at_end;
}

}  // namespace

backend::CompileOptions CompileOptionsFor(HostIsa isa, uint32_t mode) {
  backend::CompileOptions options;
  options.isa = isa;
  options.layout = {offsetof(WaveState, sgpr), offsetof(WaveState, scc), offsetof(WaveState, mode),
                    offsetof(WaveState, pc), offsetof(WaveState, vgpr)};
  options.base_env = frontend::F32Environment(mode);
  return options;
}

JitCode::JitCode(CodeMap& code, JitOptions options) : code_(code), options_(std::move(options)) {
  BeginGeneration();
}
JitCode::~JitCode() = default;

void JitCode::BeginGeneration() {
  if (current_ != nullptr) {
    statistics_.discarded_regions += current_->regions.size();
    retired_.push_back(std::move(current_));
  }
  current_ = std::make_unique<Generation>();
  current_->number = NextGeneration();
  generation_.store(current_->number, std::memory_order_seq_cst);
}

void JitCode::FreeRetired() {
  std::erase_if(retired_, [](const auto& old) { return !CodeUser::IsAnyIn(old->number); });
}

JitCode::Variant& JitCode::VariantOf(const JitKey& key) {
  const auto [at, is_new] = current_->variants.try_emplace(key, Variant{key, {}});
  if (is_new) current_->bytes += sizeof(Variant) + kNodeBytes;
  return at->second;
}

JitEntry JitCode::Find(uint64_t pc, uint64_t kernel, const JitKey& key, CodeUser& user) {
  const std::scoped_lock lock(mutex_);
  Variant* variant = &VariantOf(key);
  if (!variant->entries.contains(pc)) {
    if (current_->bytes >= limit_.load(std::memory_order_relaxed)) {
      BeginGeneration();
      variant = &VariantOf(key);
    }
    // Shapes are known from the kernel's start on.
    if (key.shape.IsKnown() && !variant->entries.contains(kernel)) {
      CompileAt(*variant, kernel, kernel);
    }
    if (!variant->entries.contains(pc)) CompileAt(*variant, pc, kernel);
  }
  user.Enter(current_->number);
  if (!retired_.empty()) FreeRetired();
  return variant->entries.at(pc);
}

void JitCode::CompileAt(Variant& variant, uint64_t pc, uint64_t kernel) {
  const size_t entries_before = variant.entries.size();
  // Until something better is known, the interpreter has it.
  variant.entries.emplace(pc, JitEntry{});
  current_->bytes += kNodeBytes;
  // Under these bits an instruction means something else than it says.
  if ((variant.key.mode & (kModeGprIdxEn | kModeVskip)) != 0) return;
  const auto start = std::chrono::steady_clock::now();
  const frontend::LiveAtEnd at_end = LiveAtEndFor(options_);
  const frontend::LiftTarget target = {code_.generation(), variant.key.mode,
                                       variant.key.vgpr_count};
  const frontend::ControlFlowGraph as_written = frontend::BuildCfg(
      code_.generation(), [this](uint64_t at) { return code_.WordsAt(at); }, pc, kMaxInstructions);
  const frontend::Liveness live_as_written(as_written, code_.generation(), at_end);
  const frontend::ControlFlowGraph graph =
      frontend::MergeBlocks(as_written, live_as_written, target);
  const frontend::Liveness liveness(graph, code_.generation(), at_end);
  // Any of the code may come to be interpreted.
  current_->live[pc] = live_as_written.AtBegin(as_written.entry).live;
  current_->live[pc] |= liveness.AtBegin(graph.entry).live;
  current_->bytes += sizeof(frontend::RegisterSet) + kNodeBytes;
  frontend::LiftStatistics lifted;
  ir::Function function = frontend::LiftRegion(graph, liveness, target, &lifted);
  ir::Optimise(function);
  if (!function.blocks.empty()) {
    backend::CompileOptions options = CompileOptionsFor(options_.isa, variant.key.mode);
    options.first_window = current_->windows;
    backend::PerfMap* const perf_map = backend::PerfMap::Instance();
    options.ranges = perf_map != nullptr;
    options.spans = HostCodeMap::Instance().is_enabled();
    auto shapes = std::make_unique<ir::RegionShapes>(ir::FindLaneShapes(
        function,
        ShapeAssumptionsFor(variant.key.shape, pc, kernel, graph, function, code_.generation())));
    options.shapes = shapes.get();
    backend::Lower(function, options_.isa);
    std::string error;
    std::unique_ptr<backend::CompiledRegion> region = backend::Compile(function, options, &error);
    if (region != nullptr) {
      if (perf_map != nullptr) AddToPerfMap(*region, *perf_map);
      if (options.spans) HostCodeMap::Instance().Add(*region);
      // Entries point to what is kept already, even where the host's memory ends between the two.
      const backend::CompiledRegion& kept = *region;
      const ir::RegionShapes* const kept_shapes = shapes.get();
      Keep(std::move(region), std::move(shapes));
      AddEntries(variant, kept, function, kept_shapes, pc == kernel ? pc : 0);
    } else {
      ++statistics_.failures[error];
    }
  }
  // What has no block of its own is the interpreter's, or inside a block.
  for (const frontend::CodeBlock& block : graph.blocks) {
    for (const frontend::DecodedInstruction& instruction : block.instructions) {
      variant.entries.try_emplace(instruction.pc);
    }
  }
  current_->bytes += (variant.entries.size() - entries_before - 1) * kNodeBytes;
  statistics_.guest_instructions += lifted.lifted;
  for (const auto& [opcode, interpreted] : lifted.interpreted) {
    JitStatistics::Fallback& fallback = statistics_.fallbacks[opcode];
    fallback.count += interpreted.count;
    if (fallback.reason.empty()) fallback.reason = interpreted.reason;
  }
  statistics_.compile_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void JitCode::Keep(std::unique_ptr<backend::CompiledRegion> region,
                   std::unique_ptr<ir::RegionShapes> shapes) {
  shapes->of_value = {};  // what is wanted of them is what holds where blocks begin
  current_->windows = region->window_end;
  current_->bytes += sizeof(*region) + region->code_bytes +
                     region->sites.capacity() * sizeof(region->sites[0]) +
                     region->entries.size() * kNodeBytes;
  ++statistics_.regions;
  statistics_.host_bytes += region->code_bytes;
  for (const auto& vgprs : shapes->at_begin) {
    current_->bytes += vgprs.capacity() * sizeof(vgprs[0]);
  }
  current_->shapes.push_back(std::move(shapes));
  current_->regions.push_back(std::move(region));
}

void JitCode::AddToPerfMap(const backend::CompiledRegion& region, backend::PerfMap& map) const {
  for (const backend::CodeRange& range : region.ranges) {
    const std::string name =
        options_.name_of ? options_.name_of(range.block) : fmt::format("{:#x}", range.block);
    map.Add(fmt::format("gcnjit:{}{}", name, range.version), region.code + range.begin,
            range.bytes);
  }
}

std::optional<frontend::RegisterSet> JitCode::LiveAt(uint64_t pc) const {
  const std::scoped_lock lock(mutex_);
  const auto found = current_->live.find(pc);
  return found == current_->live.end() ? std::nullopt : std::optional(found->second);
}

// `start`: of a kernel that begins here; 0: no kernel does.
void JitCode::AddEntries(Variant& variant, const backend::CompiledRegion& region,
                         const ir::Function& function, const ir::RegionShapes* shapes,
                         uint64_t start) {
  const uint64_t number = NextRegion();
  for (uint32_t n = 0; n < function.blocks.size(); ++n) {
    const uint64_t pc = function.blocks[n].begin;
    // A block that another region has already is entered there.
    JitEntry& entry = variant.entries[pc];
    if (entry.region != nullptr) continue;
    entry.region = &region;
    entry.number = number;
    entry.code = region.entries.at(pc);
    entry.shapes = shapes->at_begin[n].empty() ? nullptr : shapes;
    entry.block = n;
    entry.is_kernel_start = pc == start;
  }
}

bool JitCode::HasCompiled(uint64_t pc) const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(current_->variants.begin(), current_->variants.end(),
                     [pc](const auto& variant) { return variant.second.entries.count(pc) != 0; });
}

JitStatistics JitCode::Statistics() const {
  const std::scoped_lock lock(mutex_);
  JitStatistics now = statistics_;
  now.held_bytes = current_->bytes;
  for (const auto& old : retired_) now.retired_bytes += old->bytes;
  return now;
}

}  // namespace gcnjit::runtime
