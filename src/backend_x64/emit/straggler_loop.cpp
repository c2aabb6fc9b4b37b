#include "backend_x64/emit/straggler_loop.h"

#include <array>

#include "backend_x64/emit/straggler_function.h"

namespace gcnjit::backend {

StragglerLoop::StragglerLoop(BlockParts& parts, const Stragglers& plan)
    : a(parts.region.a), b_(parts), plan_(plan), function_(parts.region.a.newLabel()) {}

void StragglerLoop::EmitFunction(const SavedScalars& last) const {
  EmitStragglerFunction(b_, plan_, last, function_);
}

x86::Mem StragglerLoop::ExecOfSlice() const {
  return x86::ptr(x86::rbx, x86::r15, 0, b_.region.options.layout.sgpr + ir::kExec * 4,
                  static_cast<uint32_t>(b_.at.parts * b_.block.lanes / 8));
}

void StragglerLoop::EmitCheck(const asmjit::Label& few) const {
  const asmjit::Label together = a.newLabel();
  a.cmp(Context(offsetof(RegionContext, loop.stays_together), 4), 0);
  a.jne(together);
  const x86::Mem exec = ExecOfSlice();
  if (exec.size() == 8) {
    a.popcnt(x86::rax, exec);
  } else if (exec.size() == 4) {
    a.popcnt(x86::eax, exec);
  } else {
    a.movzx(x86::eax, exec);
    a.popcnt(x86::eax, x86::eax);
  }
  a.dec(x86::eax);
  a.cmp(x86::eax, plan_.most - 1);
  a.jbe(few);
  a.bind(together);
}

void StragglerLoop::EmitEnd() const {
  const asmjit::Label paused = a.newLabel();
  a.cmp(Context(offsetof(RegionContext, loop.paused), 4), 0);
  a.jne(paused);
  a.mov(Context(offsetof(RegionContext, loop.stays_together), 4), 0);
  a.bind(paused);
}

void StragglerLoop::EmitCall(const asmjit::Label& done) const {
  constexpr std::array kSaved = {x86::rcx, x86::rdx, x86::rsi, x86::rdi,
                                 x86::r8,  x86::r9,  x86::r10, x86::r11};
  for (const x86::Gp& gp : kSaved) a.push(gp);
  a.sub(x86::rsp, 8);  // calls want it to be a multiple of 16
  a.mov(x86::rdi, x86::r12);
  a.mov(x86::rsi, x86::rbx);
  a.mov(x86::rdx, x86::rbp);
  a.mov(x86::ecx, x86::r15d);
  a.call(function_);
  a.add(x86::rsp, 8);
  for (size_t n = kSaved.size(); n-- > 0;) a.pop(kSaved[n]);
  a.test(x86::eax, x86::eax);
  a.jz(done);
}

}  // namespace gcnjit::backend
