// Launching kernels: geometry, arguments, limits, and what comes back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gcnjit/cancellation.h"
#include "gcnjit/check.h"
#include "gcnjit/code_cache.h"
#include "gcnjit/error.h"
#include "gcnjit/export.h"
#include "gcnjit/program.h"
#include "gcnjit/source.h"

namespace gcnjit {

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

enum class Engine {
  kInterpreter,  // the reference
  kJit,          // translated host code, interpreter where that is missing
};

inline constexpr uint64_t kDefaultCodeLimit = uint64_t{256} << 20;

struct LaunchConfig {
  Dim3 global;  // grid size in WORK-ITEMS (as in OpenCL and HSA, not in groups)
  Dim3 local;   // work-group size in work-items; partial groups are allowed
  // Dimensions of the grid, 1 to 3, of which kernels learn by get_work_dim(); axes after them have
  // one work-item. 0: the axes up to the last one that has more than one.
  uint32_t dimensions = 0;
  std::array<uint64_t, 3> offset = {0, 0, 0};  // global offset in work-items (hidden arguments)
  Engine engine = Engine::kJit;
  // Compile before anything runs. Otherwise a launch begins in the interpreter and changes over
  // when it has run for as long as compiling is likely to take: short launches are over sooner.
  bool compile_first = false;
  // Most bytes of compiled code to keep for the program, from this launch on. When there is more,
  // all of it is thrown away and what is still needed is compiled again.
  uint64_t code_limit = kDefaultCodeLimit;
  // Where compiled code is kept from run to run; nothing: it is not. A launch whose kernel is found
  // there begins in compiled code.
  std::optional<CodeCache> cache;
  unsigned threads = 0;        // host threads; 0: as many processors as the process may use
  double timeout_seconds = 0;  // 0: none. Afterwards the launch ends with LaunchStatus::kTimeout
  // By which the launch may be ended meanwhile; nothing: it cannot be.
  std::optional<Cancellation> cancellation;
  // Most instructions that a wave may execute; 0: any number. A wave that needs more ends the
  // launch with LaunchStatus::kTimeout. Unlike the time, this does not depend on the host: not on
  // its speed, its threads or the engine, as long as waves do not wait for each other.
  uint64_t max_wave_instructions = 0;
  // Fill Statistics::instructions. Such a launch runs in the interpreter, whose results are those
  // of the JIT.
  bool count_instructions = false;
  // Anything but kCheckNothing: the launch is interpreted by one host thread, whatever `engine` and
  // `threads` say, and LaunchResult::findings says what was wrong.
  uint32_t check = kCheckNothing;  // Checks
  size_t check_limit = 100;        // most findings, and most notes, to keep
  // Called from another thread about ten times a second with work-groups done and in all; may be
  // empty. What it or `print` throws ends the launch, and Launch throws it on the caller's thread.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // Called with what the kernel prints, in pieces, one after another: OpenCL's printf when all of
  // it has run, HIP's meanwhile, from another thread. Empty: OpenCL's is lost and printf returns
  // -1, HIP's is a fault.
  std::function<void(std::string_view text)> print;
};

// The explicit arguments of one launch, in the order of the kernel's metadata. A kernel without
// metadata finds them one after the other, each at the next multiple of its alignment: 8 for a
// buffer, 4 for a size of local memory (of which it gets the LDS offset), and for a value the
// largest power of two that divides its size, 16 at most.
class Arguments {
 public:
  // A pointer argument: the guest address from Device::Allocate (or inside such a buffer).
  GCNJIT_API Arguments& Buffer(uint64_t address);
  // A by-value argument: exactly the bytes the metadata asks for.
  GCNJIT_API Arguments& Bytes(std::span<const std::byte> value);
  // The same of a value that is nothing but its bytes.
  template <typename T>
  requires std::is_trivially_copyable_v<T> Arguments& Value(const T& value) {
    return Bytes(std::as_bytes(std::span<const T, 1>(std::addressof(value), 1)));
  }
  // Dynamic LDS (an OpenCL __local pointer argument): a size in bytes. One more after the last
  // argument is the size of HIP's `extern __shared__` array, which has no argument of its own.
  GCNJIT_API Arguments& Local(uint32_t bytes);
  // The kernarg segment's bytes, hidden arguments included, which then are not filled in. The other
  // arguments are written over it; a kernel with metadata takes all of its own or none.
  GCNJIT_API Arguments& Segment(std::span<const std::byte> bytes);

  struct Entry {
    ArgumentKind kind;             // kGlobalBuffer, kByValue or kDynamicLds
    std::vector<std::byte> bytes;  // kByValue
    uint64_t address = 0;          // kGlobalBuffer
    uint32_t local_bytes = 0;      // kDynamicLds
  };
  const std::vector<Entry>& entries() const { return entries_; }
  const std::optional<std::vector<std::byte>>& segment() const { return segment_; }

 private:
  std::vector<Entry> entries_;
  std::optional<std::vector<std::byte>> segment_;
};

enum class LaunchStatus { kDone, kFault, kTimeout, kCancelled };

enum class FaultKind {
  kMemoryRead,          // load from memory the kernel does not have
  kMemoryWrite,         // store or atomic likewise
  kMisaligned,          // an access whose alignment the hardware requires
  kInstructionFetch,    // PC left the code
  kIllegalInstruction,  // words that are no instruction of this generation
  kUnsupported,         // an instruction or mode that is not implemented
  kIllegalRegister,     // a register beyond what the kernel descriptor allocates
  kTrap,                // s_trap (abort(), __builtin_trap()) or a halted wave
  kInstructionLimit,    // LaunchConfig::max_wave_instructions: not a fault, but reported like one
};
GCNJIT_API const char* ToString(FaultKind kind);

// Where and why a kernel stopped. Everything a person needs to find the instruction.
struct FaultReport {
  FaultKind kind = FaultKind::kMemoryRead;
  std::string kernel;
  std::string target;
  uint64_t pc = 0;  // guest address of the instruction
  // pc minus the kernel's entry, bytes; negative: in a function that lies before the kernel
  int64_t kernel_offset = 0;
  std::string instruction;  // disassembled, LLVM syntax
  SourceFrames source;
  std::array<uint32_t, 3> workgroup = {0, 0, 0};
  uint32_t wave = 0;                              // index in the work-group
  int lane = -1;                                  // -1: the whole wave (scalar access, fetch)
  std::array<uint64_t, 3> work_item = {0, 0, 0};  // global id of the lane, without offset
  uint64_t exec = 0;
  uint64_t address = 0;  // memory faults
  uint32_t access_bytes = 0;
  std::string nearest;  // e.g. "256 bytes past the end of a 4,096-byte allocation at 0x..."
  std::string detail;   // what else there is to say, and what to do next
  GCNJIT_API std::string Describe() const;  // the whole report as text, several lines
};

// How near what an instruction does here is to what the hardware does.
enum class Fidelity {
  kExact,        // the same bits
  kApproximate,  // a function that the manuals leave approximate: within so many ulp
  kModelled,     // the same bits, if the only source there is has it right
  kHostDefined,  // what it reads is this host's: clocks, hardware ids
  kHint,         // without effect here: there is nothing to wait for, to cache or to trace
  kUnsupported,  // not implemented: the launch ended there, with a FaultReport
};
GCNJIT_API const char* ToString(Fidelity fidelity);

// An instruction that a launch has executed.
struct InstructionCount {
  std::string mnemonic;
  uint64_t executed = 0;  // counted once a wave
  Fidelity fidelity = Fidelity::kExact;
  double ulp = 0;    // of kApproximate: the largest error, in units in the last place
  std::string note;  // of kApproximate: what the bound is of; else why it may not be exact
};

struct Statistics {
  uint64_t workgroups = 0;         // that have run to their end
  uint64_t waves = 0;              // that have been started
  uint64_t wave_instructions = 0;  // instructions executed, counted once a wave
  double seconds = 0;              // wall time of the launch
  // Of the JIT, for the program and this host since it was loaded.
  // What was taken from LaunchConfig::cache does not count as compiled.
  uint64_t compiled_regions = 0;
  uint64_t compiled_instructions = 0;
  double compile_seconds = 0;
  uint64_t cached_regions = 0;     // taken from the cache
  double cache_seconds = 0;        // of looking there, reading and writing
  uint64_t code_bytes = 0;         // held for the program now
  uint64_t discarded_regions = 0;  // of all these, because of LaunchConfig::code_limit
  // Instructions that stay with the interpreter, by mnemonic: occurrences in the code compiled. A
  // name in parentheses is what kept whole regions from being compiled.
  std::map<std::string, uint64_t> not_compiled;
  // With LaunchConfig::count_instructions: the most executed first.
  std::vector<InstructionCount> instructions;
};

// Work-groups of a launch whose time was up, or which was cancelled.
struct UnfinishedGroups {
  uint64_t begun = 0;     // and not ended
  uint64_t waiting = 0;   // of these: spin, as far as can be told, for what other groups have to do
  uint64_t resident = 0;  // so many may have begun and not ended, as on the device
  uint64_t not_begun = 0;
  uint64_t total = 0;
  // Why nothing happened any more, and what to do; empty if that is not known.
  GCNJIT_API std::string Describe() const;
};

struct LaunchResult {
  LaunchStatus status = LaunchStatus::kDone;
  // With kFault. With kTimeout: the wave that had executed max_wave_instructions, where it stood
  // when that was noticed; nothing if the time was up.
  std::optional<FaultReport> fault;
  // With kTimeout, if the time was up; with kCancelled.
  std::optional<UnfinishedGroups> unfinished;
  std::vector<Finding> findings;   // LaunchConfig::check, in the order in which they were found
  uint64_t findings_left_out = 0;  // beyond LaunchConfig::check_limit
  std::vector<Finding> notes;      // likewise: what IsNote says is no mistake by itself
  uint64_t notes_left_out = 0;
  std::string print_loss;  // what LaunchConfig::print has not got, in words; empty: nothing
  Statistics statistics;
};

// Runs a kernel over the grid and waits for it. An Error is a mistake in the request (nothing ran);
// a fault or time-out of the kernel itself is in the LaunchResult. Throws what `config` throws.
GCNJIT_API Result<LaunchResult> Launch(Device& device, const Program& program,
                                       const std::string& kernel, const LaunchConfig& config,
                                       const Arguments& arguments);

}  // namespace gcnjit
