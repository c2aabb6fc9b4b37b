#include "robustness/fault_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "gcnjit/device.h"
#include "robustness/fault_cells.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;
using Lines = std::vector<std::string>;

constexpr uint32_t kItems = 256;  // two groups of two waves
constexpr uint32_t kOrderGroupItems = 128;

class Writer {
 public:
  Writer(Generation g, const Memory& memory, uint64_t seed)
      : g_(g), memory_(memory), accesses_(AccessesOf(g)), random_(seed) {
    std::erase_if(accesses_, [](const Access& a) { return a.unit == Unit::kFetch || a.loops; });
  }

  // v4 counts work-items, from iteration to iteration by one more, so that another lane is astray.
  Lines Program() {
    lines_ = {"s_load_dwordx16 s[16:31], s[6:7], 0x0",
              "s_waitcnt lgkmcnt(0)",
              "s_lshl_b32 s40, s10, 7",
              "v_or_b32_e32 v4, s40, v0",
              "v_lshlrev_b32_e32 v14, 4, v0",
              "v_mov_b32_e32 v16, v14",
              "v_lshlrev_b32_e32 v17, 3, v0",
              "v_or_b32_e32 v14, s18, v14",
              "v_mov_b32_e32 v15, s19",
              "v_mov_b32_e32 v8, 7",
              "v_mov_b32_e32 v9, 8",
              "v_mov_b32_e32 v10, 9",
              "v_mov_b32_e32 v11, 10",
              "s_mov_b32 m0, -1",
              "s_mov_b32 s46, -1",
              "s_mov_b32 s47, s27"};
    const bool loops = Pick(2) == 0;
    if (loops) lines_.push_back(fmt::format("s_mov_b32 s48, {}", 2 + Pick(6)));
    const size_t head = lines_.size();
    const uint64_t accesses = 1 + Pick(4);
    for (uint64_t n = 0; n < accesses; ++n) AddAccess();
    if (loops) {
      lines_.push_back(AddLine(g_, "v4", "1", "v4"));
      lines_.emplace_back("s_sub_u32 s48, s48, 1");
      lines_.emplace_back("s_cmp_lg_u32 s48, 0");
      back_ = {head, lines_.size()};
      lines_.emplace_back("s_cbranch_scc1 0x0");  // the offset is not known yet
    } else {
      back_ = {};
    }
    lines_.emplace_back("s_endpgm");
    return lines_;
  }

  // Lines [first, second) are the loop's, the branch apart; nothing: there is none.
  std::pair<size_t, size_t> loop() const { return back_; }

 private:
  uint64_t Pick(uint64_t count) { return random_() % count; }
  static std::string Literal(uint64_t value) {
    return fmt::format("{:#x}", static_cast<uint32_t>(value));
  }

  void AddAccess() {
    const Access& access = accesses_[Pick(accesses_.size())];
    uint64_t address = 0;
    do {
      const Place place = kPlaces[Pick(std::size(kPlaces))];
      // Kernel arguments are where each program has its own; out of range needs another resource.
      if (place == Place::kKernarg || place == Place::kOutOfRange) continue;
      if (const auto found = AddressOf(access, place, g_, memory_)) {
        address = *found;
        break;
      }
    } while (true);
    if (Pick(3) == 0) {
      lines_.push_back("s_mov_b32 exec_lo, " + Literal(random_() | random_()));
      lines_.push_back("s_mov_b32 exec_hi, " + Literal(random_() | random_()));
    }
    if (access.unit == Unit::kScalar) {
      const uint64_t target = Pick(8) == 0 ? address : memory_.good;
      lines_.push_back("s_mov_b32 s44, " + Literal(target));
      lines_.push_back("s_mov_b32 s45, " + Literal(target >> 32));
    } else {
      if (access.unit == Unit::kBuffer) address -= memory_.good;
      lines_.push_back(fmt::format("v_cmp_eq_u32_e32 vcc, {}, v4", Literal(Pick(kItems + 64))));
      lines_.push_back("v_mov_b32_e32 v5, " + Literal(address));
      lines_.push_back("v_mov_b32_e32 v6, " + Literal(address >> 32));
      lines_.emplace_back("v_cndmask_b32_e32 v2, v14, v5, vcc");
      lines_.emplace_back("v_cndmask_b32_e32 v3, v15, v6, vcc");
      lines_.emplace_back("v_cndmask_b32_e32 v12, v16, v5, vcc");
      lines_.emplace_back("v_cndmask_b32_e32 v13, v17, v5, vcc");
    }
    // Neighbours without anything in between share a stage of compiled code.
    lines_.push_back(access.text);
    if (Pick(4) == 0) lines_.push_back(access.text);
  }

  const Generation g_;
  const Memory memory_;
  std::vector<Access> accesses_;
  std::mt19937_64 random_;
  Lines lines_;
  std::pair<size_t, size_t> back_;
};

struct OrderOutcome {
  std::string text;
  bool is_fault = false;
};

class Runner {
 public:
  Runner(Generation g, LaunchCounts& counts) : g_(g), counts_(counts) {
    memory_.good = *device_.Allocate(kGoodBytes);
    memory_.freed = *device_.Allocate(kFreedBytes);
    memory_.out = *device_.Allocate(4096);
    (void)device_.Free(memory_.freed);
  }

  void Run(uint64_t seed, uint64_t count) {
    // One run of the assembler for all of them.
    std::vector<Lines> programs;
    std::vector<std::pair<size_t, size_t>> loops;
    Lines all;
    for (uint64_t n = 0; n < count; ++n) {
      Writer writer(g_, memory_, seed + n);
      programs.push_back(writer.Program());
      loops.push_back(writer.loop());
      all.insert(all.end(), programs.back().begin(), programs.back().end());
    }
    const std::vector<std::vector<uint32_t>> words = Assemble(g_, all);
    size_t line = 0;
    for (uint64_t n = 0; n < count; ++n) {
      std::vector<uint32_t> code;
      size_t loop_begin = 0;
      for (size_t k = 0; k < programs[n].size(); ++k, ++line) {
        if (k == loops[n].first) loop_begin = code.size();
        code.insert(code.end(), words[line].begin(), words[line].end());
        if (loops[n].second != 0 && k == loops[n].second) {
          const auto back = static_cast<uint16_t>(loop_begin - code.size());
          code.back() = (code.back() & 0xFFFF0000) | back;
        }
      }
      RunProgram(seed + n, programs[n], code);
    }
  }

 private:
  OrderOutcome Launch(const std::string& engine, const std::vector<std::byte>& file) {
    FrameArguments arguments;
    arguments.words[1] = memory_.good;
    arguments.words[4] = memory_.good;
    arguments.words[5] = 0xFFFFFFFF | uint64_t{0x00027FAC} << 32;
    const auto good = device_.Data(memory_.good, kGoodBytes);
    std::memset(good.data(), 0x11, good.size());
    LaunchConfig config;
    config.global.x = kItems;
    config.local.x = kOrderGroupItems;
    config.threads = 1;
    UseEngine(engine, config);
    const auto program = Program::Load(device_, file);
    const auto result =
        gcnjit::Launch(device_, *program, "frame", config, Arguments().Value(arguments));
    ++counts_.executed;
    if (!result) return {result.error().message, false};
    counts_.faults += result->fault.has_value();
    return {
        fmt::format("{}{} instructions", result->fault ? result->fault->Describe() : "no fault, ",
                    result->statistics.wave_instructions),
        result->fault.has_value()};
  }

  void RunProgram(uint64_t seed, const Lines& lines, const std::vector<uint32_t>& code) {
    const std::vector<std::byte> file = FrameFile(g_, code);
    std::string reference;
    for (const std::string& engine : Engines()) {
      const OrderOutcome outcome = Launch(engine, file);
      if (reference.empty()) reference = outcome.text;
      if (outcome.text == reference) continue;
      counts_.failures.push_back(fmt::format(
          "{} {}, --random --seed={}: the interpreter says\n{}\nthis engine\n{}\n{}",
          frontend::TargetName(g_), engine, seed, reference, outcome.text, fmt::join(lines, "\n")));
    }
  }

  const Generation g_;
  LaunchCounts& counts_;
  Device device_ = *Device::Create();
  Memory memory_;
};

}  // namespace

void RunRandomFaults(frontend::Generation generation, uint64_t seed, uint64_t count,
                     LaunchCounts& counts) {
  Runner(generation, counts).Run(seed, count);
}

}  // namespace gcnjit::robustness
