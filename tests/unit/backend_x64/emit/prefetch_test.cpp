#include "backend_x64/emit/prefetch.h"

#include <asmjit/x86.h>
#include <gtest/gtest.h>

#include <string>

namespace gcnjit::backend {
namespace {

// What is emitted for a load of `bytes` bytes; a step is in [rbx], leads are in [rbp].
std::string Emitted(const Lookahead& lookahead, int bytes, const Tuning& tuning = {}) {
  asmjit::CodeHolder code;
  code.init(asmjit::Environment::host());
  asmjit::StringLogger logger;
  code.setLogger(&logger);
  asmjit::x86::Assembler a(&code);
  const LookaheadMemory memory = {asmjit::x86::dword_ptr(asmjit::x86::rbx),
                                  lookahead.lead_from ? asmjit::x86::qword_ptr(asmjit::x86::rbp)
                                                      : asmjit::x86::dword_ptr(asmjit::x86::rbp),
                                  asmjit::x86::qword_ptr(asmjit::x86::rbp, 8)};
  EmitPrefetch(a, tuning, lookahead, memory, asmjit::x86::ptr(asmjit::x86::rax), /*index_shift=*/2,
               bytes, /*is_store=*/false);
  return logger.data();
}

TEST(EmitPrefetch, AsksForEachLineThatALoopWants) {
  EXPECT_EQ(Emitted({-128, {}, /*is_loop=*/true}, 128),
            "prefetcht1 [rax-128]\nprefetcht1 [rax-64]\n");
}

TEST(EmitPrefetch, GoesAStepThatARegisterHas) {
  const Lookahead step{0, ir::Value{7}, /*is_loop=*/true};
  EXPECT_EQ(Emitted(step, 64), "movsxd rcx, dword ptr [rbx]\nprefetcht1 [rax+rcx*4]\n");
}

TEST(EmitPrefetch, AsksTheCacheThatTheProcessorWants) {
  EXPECT_EQ(Emitted({256}, 64, {.is_second_level = false}), "prefetcht0 [rax+256]\n");
  EXPECT_EQ(Emitted({256}, 64, {.is_second_level = true}), "prefetcht1 [rax+256]\n");
}

TEST(EmitPrefetch, AsksForNothingThatIsThereAlready) {
  Lookahead follower{64};
  follower.lead = ir::Value{7};
  EXPECT_EQ(Emitted(follower, 64).rfind("cmp dword ptr [rbp], 32768\njb L0\nprefetch", 0), 0u);
  follower.lead_from = ir::Value{8};
  const std::string bytes = "mov rcx, qword ptr [rbp]\nsub rcx, qword ptr [rbp+8]\n";
  EXPECT_EQ(Emitted(follower, 64).rfind(bytes + "cmp rcx, 131072\njb L0\nprefetch", 0), 0u);
}

}  // namespace
}  // namespace gcnjit::backend
