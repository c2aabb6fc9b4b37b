// Kernels that try to rewrite their own code, in a file that calls it writable: each place of it,
// from the first and from the last wave, on one host thread and on several. Every engine says the
// same, and the code stays what it was. Which instructions can write is the fault matrix's matter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gcnjit/device.h"
#include "robustness/frame.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;

constexpr uint32_t kGroups = 6;
constexpr uint32_t kItems = kGroups * 64;

// FrameArguments as the program has them in s[16:31].
struct WriterArguments {
  uint64_t code = 0;  // s[16:19]: resource
  uint32_t code_records = ~0u;
  uint32_t code_word3 = 0x00027FAC;
  uint64_t out = 0;  // s[20:23]: resource
  uint32_t out_records = kItems * 4;
  uint32_t out_word3 = 0x00027FAC;
  uint32_t writer = 0;  // s24: which work-item stores
  uint32_t offset = 0;  // s25: where in the code
  uint32_t word = 0;    // s26: what
  uint32_t unused[5] = {};
};
static_assert(sizeof(WriterArguments) == sizeof(FrameArguments));

// Before and after the store there is code that others have yet to run, or have run already: each
// work-item counts to 3 in a loop around the store.
std::vector<uint32_t> Writer(Generation g) {
  std::vector<std::string> lines = {"s_load_dwordx16 s[16:31], s[6:7], 0x0",
                                    "s_waitcnt lgkmcnt(0)",
                                    "s_lshl_b32 s40, s10, 6",
                                    "v_or_b32_e32 v4, s40, v0",
                                    "v_lshlrev_b32_e32 v20, 2, v4",
                                    "v_mov_b32_e32 v12, s25",
                                    "v_mov_b32_e32 v8, s26",
                                    "v_mov_b32_e32 v9, 0",
                                    "s_mov_b32 s48, 3"};
  const size_t loop = AssembleProgram(g, lines).size();
  lines.insert(lines.end(), {AddLine(g, "v9", "1", "v9"), "v_cmp_eq_u32_e32 vcc, s24, v4",
                             "s_and_b64 exec, exec, vcc", "s_cbranch_execz 0x2",
                             "buffer_store_dword v8, v12, s[16:19], 0 offen", "s_mov_b64 exec, -1",
                             "s_sub_u32 s48, s48, 1", "s_cmp_lg_u32 s48, 0"});
  const size_t after = AssembleProgram(g, lines).size() + 1;
  lines.push_back(fmt::format("s_cbranch_scc1 {:#x}", static_cast<uint16_t>(loop - after)));
  lines.insert(lines.end(), {"buffer_store_dword v9, v20, s[20:23], 0 offen", "s_endpgm"});
  return AssembleProgram(g, lines);
}

class CodeWritesTest : public testing::TestWithParam<Generation> {
 protected:
  LaunchResult Run(const Program& program, const std::string& engine, unsigned threads,
                   WriterArguments arguments) {
    arguments.out = out_;
    LaunchConfig config;
    config.global.x = kItems;
    config.local.x = 64;
    config.threads = threads;
    config.timeout_seconds = 60;
    UseEngine(engine, config);
    const auto result = Launch(device_, program, "frame", config,
                               Arguments().Value(std::bit_cast<FrameArguments>(arguments)));
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result.ok() ? *result : LaunchResult{};
  }
  // Are the results those of the code as it was loaded?
  bool IsRight() {
    const auto* const out = reinterpret_cast<const uint32_t*>(out_);
    return std::all_of(out, out + kItems, [](uint32_t value) { return value == 3; });
  }

  Device device_ = *Device::Create();
  const uint64_t out_ = *device_.Allocate(kItems * 4);
};

TEST_P(CodeWritesTest, CodeStaysWhatItWas) {
  const Generation g = GetParam();
  const std::vector<uint32_t> words = Writer(g);
  std::vector<std::byte> file = FrameFile(g, words);
  MakeAllWritable(file);
  // v_mov_b32 v9, 7: of most places a change that shows.
  const uint32_t word = Assemble(g, {"v_mov_b32_e32 v9, 7"})[0][0];
  std::map<std::pair<size_t, uint32_t>, std::string> reference;
  for (const std::string& engine : Engines()) {
    const auto program = Program::Load(device_, file);
    ASSERT_TRUE(program.ok());
    const uint64_t entry = (*program->internal()->Find("frame"))->entry_address;
    WriterArguments arguments;
    arguments.code = entry;
    arguments.word = word;
    for (size_t n = 0; n < words.size(); ++n) {
      arguments.offset = static_cast<uint32_t>(n * 4);
      for (const uint32_t writer : {0u, kItems - 1}) {
        arguments.writer = writer;
        for (const unsigned threads : {1u, 3u}) {
          const LaunchResult result = Run(*program, engine, threads, arguments);
          ASSERT_EQ(result.status, LaunchStatus::kFault) << engine << " " << n;
          EXPECT_EQ(result.fault->kind, FaultKind::kMemoryWrite);
          EXPECT_EQ(result.fault->address, entry + n * 4);
          const std::string text = result.fault->Describe();
          EXPECT_NE(text.find("read-only"), std::string::npos) << text;
          EXPECT_EQ(reference.try_emplace({n, writer}, text).first->second, text) << engine;
        }
      }
      ASSERT_EQ(std::memcmp(reinterpret_cast<const void*>(entry), words.data(), words.size() * 4),
                0);
    }
    arguments.writer = ~0u;  // none
    EXPECT_EQ(Run(*program, engine, 3, arguments).status, LaunchStatus::kDone);
    EXPECT_TRUE(IsRight()) << engine;
  }
}

INSTANTIATE_TEST_SUITE_P(Generations, CodeWritesTest, testing::ValuesIn(frontend::kGenerations),
                         [](const auto& param) {
                           return std::string(frontend::TargetName(param.param));
                         });

}  // namespace
}  // namespace gcnjit::robustness
