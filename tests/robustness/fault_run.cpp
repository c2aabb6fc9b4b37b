#include "robustness/fault_run.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>

#include "gcnjit/device.h"
#include "robustness/fault_cells.h"
#include "robustness/frame.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;
using Lines = std::vector<std::string>;

// Three groups of two waves; the work-item that goes astray is in the middle group's second wave.
constexpr uint32_t kGroups = 3;
constexpr uint32_t kGroupItems = 128;
constexpr uint32_t kBadGroup = 1;
constexpr uint32_t kBadWave = 1;
constexpr uint32_t kBadBase = kBadGroup * kGroupItems + kBadWave * 64;

constexpr int kLanes[] = {0, 31, 63};

// Bits of the flags argument.
constexpr uint32_t kAddressIsKernarg = 1;
constexpr uint32_t kOnlyBadLane = 2;
constexpr uint32_t kBaseIsKernarg = 4;

// FrameArguments as the program has them in s[16:31].
struct CellArguments {
  uint64_t bad = 0;              // s[16:17]: address, buffer offset or LDS offset
  uint64_t good = 0;             // s[18:19]
  uint64_t exec = ~uint64_t{0};  // s[20:21]
  uint32_t bad_item = 0;         // s22
  uint32_t flags = 0;            // s23
  uint64_t base = 0;             // s[24:27]: resource
  uint32_t records = 0xFFFFFFFF;
  uint32_t word3 = 0x00027FAC;
  uint64_t out = 0;  // s[28:31]: resource
  uint32_t out_records = kGroups * kGroupItems * 4;
  uint32_t out_word3 = 0x00027FAC;
};
static_assert(sizeof(CellArguments) == sizeof(FrameArguments));

// The program up to the access. Afterwards v[2:3], v12 and v13 are each lane's address, buffer
// offset and LDS offset, s[44:47] the wave's address or resource.
Lines Prologue(Generation g) {
  Lines lines = {"s_load_dwordx16 s[16:31], s[6:7], 0x0", "s_waitcnt lgkmcnt(0)"};
  const auto add = [&](std::initializer_list<const char*> more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  if (frontend::IsGfx9(g)) {
    if (!frontend::Has(g, frontend::kScratchIsGiven))
      add({"s_add_u32 flat_scratch_lo, s8, s13", "s_addc_u32 flat_scratch_hi, s9, 0"});
  } else if (g != Generation::kGfx6) {
    add({"s_mov_b32 flat_scratch_lo, s9", "s_add_u32 s8, s8, s13",
         "s_lshr_b32 flat_scratch_hi, s8, 8"});
  }
  add({"s_bitcmp1_b32 s23, 0",
       "s_cselect_b64 s[16:17], s[6:7], s[16:17]",
       "s_bitcmp1_b32 s23, 2",
       "s_cselect_b64 s[24:25], s[6:7], s[24:25]",
       "s_lshl_b32 s40, s10, 7",
       "v_or_b32_e32 v4, s40, v0",
       "v_lshlrev_b32_e32 v20, 2, v4",
       "v_lshlrev_b32_e32 v2, 4, v0",
       "v_mov_b32_e32 v12, v2",
       "v_lshlrev_b32_e32 v13, 3, v0",
       "v_or_b32_e32 v2, s18, v2",
       "v_mov_b32_e32 v3, s19",
       "v_mov_b32_e32 v5, s16",
       "v_mov_b32_e32 v6, s17",
       "v_cmp_eq_u32_e32 vcc, s22, v4",
       "v_cndmask_b32_e32 v2, v2, v5, vcc",
       "v_cndmask_b32_e32 v3, v3, v6, vcc",
       "v_cndmask_b32_e32 v12, v12, v5, vcc",
       "v_cndmask_b32_e32 v13, v13, v5, vcc",
       "v_mov_b32_e32 v8, 7",
       "v_mov_b32_e32 v9, 8",
       "v_mov_b32_e32 v10, 9",
       "v_mov_b32_e32 v11, 10",
       "s_mov_b32 m0, -1",
       "s_bitcmp1_b32 s23, 1",
       "s_cselect_b64 s[42:43], vcc, -1",
       "s_and_b64 s[20:21], s[20:21], s[42:43]",
       "v_readfirstlane_b32 s41, v4",
       "s_andn2_b32 s42, s22, 63",
       "s_mov_b32 s46, -1",
       "s_mov_b32 s47, s27",
       "s_cmp_eq_u32 s41, s42",
       "s_cselect_b64 s[44:45], s[16:17], s[18:19]",
       "s_mov_b32 s48, 8",
       "s_mov_b64 exec, s[20:21]"});
  return lines;
}

struct CellProgram {
  std::vector<uint32_t> words;
  uint64_t access_offset = 0;  // bytes from the kernel's entry
};

void Append(CellProgram& program, Generation g, const Lines& lines) {
  const std::vector<uint32_t> words = AssembleProgram(g, lines);
  program.words.insert(program.words.end(), words.begin(), words.end());
}

CellProgram ProgramOf(Generation g, const Access& access, const std::string& text) {
  CellProgram program{AssembleProgram(g, Prologue(g)), 0};
  if (access.unit == Unit::kFetch) Append(program, g, {"s_cbranch_scc0 0x1"});
  program.access_offset = program.words.size() * 4;
  Append(program, g, {text});
  if (access.loops) {
    Append(program, g,
           {AddLine(g, "v2", "4", "v2"), AddLine(g, "v12", "4", "v12"), "s_sub_u32 s48, s48, 1",
            "s_cmp_lg_u32 s48, 0"});
    const size_t after = program.words.size() + 1;
    const auto back = static_cast<uint16_t>(program.access_offset / 4 - after);
    Append(program, g, {fmt::format("s_cbranch_scc1 {:#x}", back)});
  }
  // What was loaded, of all lanes.
  Lines end = {"s_mov_b64 exec, -1"};
  if (access.unit == Unit::kScalar) end.emplace_back("v_mov_b32_e32 v8, s52");
  end.emplace_back("buffer_store_dword v8, v20, s[28:31], 0 offen");
  end.emplace_back("s_endpgm");
  Append(program, g, end);
  return program;
}

// A buffer access to scratch has the resource of scratch.
std::string TextOf(const Access& access, Place place) {
  constexpr std::string_view kResource = "s[24:27], 0 offen";
  const size_t at = access.text.find(kResource);
  if (place != Place::kPrivate || at == std::string::npos) return access.text;
  std::string text = access.text;
  return text.replace(at, kResource.size(), "s[0:3], s13 offen");
}

// Does the access write v8?
bool Returns(const Access& access) {
  return !access.is_store || access.text.find("_rtn_") != std::string::npos ||
         access.text.ends_with(" glc") || access.text.ends_with(" sc0");
}

struct Cell {
  Place place;
  int lane;
  bool inactive;
};

struct Outcome {
  LaunchStatus status = LaunchStatus::kDone;
  std::optional<FaultReport> fault;
  uint64_t instructions = 0;
  std::vector<uint32_t> loaded;
};

class Matrix {
 public:
  Matrix(Generation g, uint64_t first, uint64_t every, LaunchCounts& counts)
      : g_(g), every_(every), next_(first), counts_(counts) {
    memory_.good = *device_.Allocate(kGoodBytes);
    memory_.freed = *device_.Allocate(kFreedBytes);
    memory_.out = *device_.Allocate(kGroups * kGroupItems * 4);
    (void)device_.Free(memory_.freed);
  }

  void Run() {
    const std::vector<Access> accesses = AccessesOf(g_);
    Lines texts;
    for (const Access& access : accesses) {
      texts.push_back(access.text);
      texts.push_back(TextOf(access, Place::kPrivate));
    }
    Assemble(g_, texts);  // all at once
    for (const Access& access : accesses) {
      std::vector<Cell> plain;
      std::vector<Cell> of_scratch;  // with another resource
      for (const Place place : kPlaces) {
        if (!AddressOf(access, place, g_, memory_)) continue;
        for (const int lane : kLanes) Choose(place, lane, false, access, plain, of_scratch);
        Choose(place, 31, true, access, plain, of_scratch);
      }
      RunCells(access, access.text, plain);
      RunCells(access, TextOf(access, Place::kPrivate), of_scratch);
    }
  }

 private:
  void Choose(Place place, int lane, bool inactive, const Access& access, std::vector<Cell>& plain,
              std::vector<Cell>& of_scratch) {
    if (next_-- != 0) return;
    next_ = every_ - 1;
    (TextOf(access, place) == access.text ? plain : of_scratch).push_back({place, lane, inactive});
  }

  CellArguments ArgumentsOf(const Access& access, const Cell& cell) const {
    const uint64_t address = *AddressOf(access, cell.place, g_, memory_);
    CellArguments arguments;
    arguments.bad = access.loops ? address - 12 : address;
    arguments.good = memory_.good;
    arguments.bad_item = kBadBase + static_cast<uint32_t>(cell.lane);
    arguments.out = memory_.out;
    if (cell.inactive) {
      arguments.exec = access.unit == Unit::kScalar || access.unit == Unit::kFetch
                           ? 0
                           : ~(uint64_t{1} << cell.lane);
    }
    // The other lanes' offsets are beyond their scratch, too.
    if (access.unit == Unit::kScratch) {
      arguments.flags = kOnlyBadLane;
      return arguments;
    }
    const bool is_kernarg = cell.place == Place::kKernarg;
    if (access.unit != Unit::kBuffer) {
      arguments.flags = is_kernarg ? kAddressIsKernarg : 0;
      return arguments;
    }
    switch (cell.place) {
      case Place::kUnmapped:
      case Place::kPastEnd:
      case Place::kStraddling:
      case Place::kMisaligned:
      case Place::kOutOfRange:
        arguments.base = memory_.good;
        arguments.bad -= memory_.good;
        if (cell.place == Place::kOutOfRange) arguments.records = kGoodBytes / 2;
        return arguments;
      case Place::kPrivate: arguments.flags = kOnlyBadLane; return arguments;
      default:
        // Far from the others' memory.
        arguments.base = address;
        arguments.bad = 0;
        arguments.flags = kOnlyBadLane | (is_kernarg ? kBaseIsKernarg : 0);
        return arguments;
    }
  }

  Outcome Launch(const Program& program, const std::string& engine, const Access& access,
                 const Cell& cell) {
    const CellArguments cell_arguments = ArgumentsOf(access, cell);
    const auto arguments = std::bit_cast<FrameArguments>(cell_arguments);
    const auto out = device_.Data(memory_.out, kGroups * kGroupItems * 4);
    std::memset(out.data(), 0xEE, out.size());
    const auto good = device_.Data(memory_.good, kGoodBytes);
    std::memset(good.data(), 0x11, good.size());
    LaunchConfig config;
    config.global.x = kGroups * kGroupItems;
    config.local.x = kGroupItems;
    config.threads = 1;
    UseEngine(engine, config);
    const auto result =
        gcnjit::Launch(device_, program, "frame", config, Arguments().Value(arguments));
    ++counts_.executed;
    if (!result) {
      Fail(access, cell, engine, result.error().message);
      return {};
    }
    Outcome outcome{result->status, result->fault, result->statistics.wave_instructions, {}};
    outcome.loaded.resize(out.size() / 4);
    std::memcpy(outcome.loaded.data(), out.data(), out.size());
    return outcome;
  }

  void RunCells(const Access& access, const std::string& text, const std::vector<Cell>& cells) {
    if (cells.empty()) return;
    const CellProgram code = ProgramOf(g_, access, text);
    std::vector<std::byte> file = FrameFile(g_, code.words);
    MakeAllWritable(file);
    std::vector<Outcome> reference;
    for (const std::string& engine : Engines()) {
      const auto program = Program::Load(device_, file);
      constexpr uint64_t kIntoCode = 0x4000;
      memory_.code = (*program->internal()->Find("frame"))->entry_address + kIntoCode;
      for (size_t n = 0; n < cells.size(); ++n) {
        const Outcome outcome = Launch(*program, engine, access, cells[n]);
        if (reference.size() == n) reference.push_back(outcome);
        Check(access, text, code, cells[n], engine, outcome);
        Compare(access, cells[n], engine, reference[n], outcome);
      }
    }
  }

  void Check(const Access& access, const std::string& text, const CellProgram& code,
             const Cell& cell, const std::string& engine, const Outcome& outcome) {
    const uint64_t address = *AddressOf(access, cell.place, g_, memory_);
    auto expected = ExpectedOf(access, cell.place, g_, cell.lane, address, memory_);
    const bool is_wave = access.unit == Unit::kScalar || access.unit == Unit::kFetch;
    if (cell.inactive && !is_wave) expected.reset();
    const auto check = [&](bool holds, const char* what) {
      if (holds) return;
      Fail(access, cell, engine,
           fmt::format("{}; the launch: {}", what,
                       outcome.fault ? outcome.fault->Describe() : "no fault"));
    };
    if (!expected) {
      check(outcome.status == LaunchStatus::kDone, "expected no fault");
      // Out of range; or LDS, which begins with zeros.
      const bool is_zero = cell.place == Place::kOutOfRange || cell.place == Place::kRestOfLds ||
                           (access.unit == Unit::kShare && cell.place != Place::kMisaligned &&
                            cell.place != Place::kStraddling);
      if (is_zero && Returns(access) && !cell.inactive && !outcome.loaded.empty()) {
        check(outcome.loaded[kBadBase + cell.lane] == 0, "expected 0");
      }
      return;
    }
    ++counts_.faults;
    check(outcome.status == LaunchStatus::kFault, "expected a fault");
    if (!outcome.fault) return;
    const FaultReport& fault = *outcome.fault;
    check(fault.kind == expected->kind, "expected another kind");
    check(fault.kernel == "frame" && fault.target == frontend::TargetName(g_), "kernel or target");
    const bool is_fetch = access.unit == Unit::kFetch;
    if (is_fetch) {
      check(fault.instruction == "(no code there)", "instruction");
      check(fault.pc == fault.address, "a fetch's PC is its address");
    } else {
      check(fault.instruction == text, "instruction");
      check(fault.kernel_offset == static_cast<int64_t>(code.access_offset), "kernel_offset");
    }
    check(fault.workgroup == std::array<uint32_t, 3>{kBadGroup, 0, 0}, "workgroup");
    check(fault.wave == kBadWave, "wave");
    check(fault.lane == (is_wave ? -1 : cell.lane), "lane");
    const uint64_t item = is_wave ? 0 : kBadBase + static_cast<uint64_t>(cell.lane);
    check(fault.work_item == std::array<uint64_t, 3>{item, 0, 0}, "work_item");
    const CellArguments arguments = ArgumentsOf(access, cell);
    const bool alone = (arguments.flags & kOnlyBadLane) != 0;
    check(fault.exec == (alone ? uint64_t{1} << cell.lane : arguments.exec), "EXEC");
    if (expected->address != 0 || cell.place == Place::kNull) {
      check(fault.address == expected->address, "address");
    }
    check(fault.access_bytes == expected->bytes, "access_bytes");
    check(fault.nearest.find(expected->nearest) != std::string::npos, "nearest");
    check(fault.nearest.empty() == (fault.kind == FaultKind::kUnsupported), "nearest");
    check(!fault.Describe().empty(), "text");
  }

  void Compare(const Access& access, const Cell& cell, const std::string& engine,
               const Outcome& reference, const Outcome& outcome) {
    const auto text = [](const Outcome& o) {
      return fmt::format("{}{} instructions", o.fault ? o.fault->Describe() : "no fault, ",
                         o.instructions);
    };
    if (text(reference) != text(outcome)) {
      Fail(
          access, cell, engine,
          fmt::format("the interpreter says\n{}\nthis engine\n{}", text(reference), text(outcome)));
    }
    if (outcome.status == LaunchStatus::kDone && outcome.loaded != reference.loaded) {
      Fail(access, cell, engine, "loaded something else than the interpreter");
    }
  }

  void Fail(const Access& access, const Cell& cell, const std::string& engine,
            const std::string& what) {
    counts_.failures.push_back(fmt::format("{} {}: '{}'{}, {}, lane {}{}: {}",
                                           frontend::TargetName(g_), engine, access.text,
                                           access.loops ? " in a loop" : "", NameOf(cell.place),
                                           cell.lane, cell.inactive ? ", inactive" : "", what));
  }

  const Generation g_;
  const uint64_t every_;
  uint64_t next_;
  LaunchCounts& counts_;
  Device device_ = *Device::Create();
  Memory memory_;
};

}  // namespace

void RunFaultMatrix(Generation generation, uint64_t first, uint64_t every, LaunchCounts& counts) {
  Matrix(generation, first, every, counts).Run();
}

}  // namespace gcnjit::robustness
