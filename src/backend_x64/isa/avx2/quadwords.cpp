#include "backend_x64/isa/avx2/quadwords.h"

#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

void JoinDwords(x86::Assembler& a, const int (&result)[4]) {
  for (int n = 0; n < 4; n += 2) {
    if (result[n] < 0) continue;
    a.vpunpckldq(Y(kT0), Y(result[n]), Y(result[n + 1]));
    a.vpunpckhdq(Y(result[n + 1]), Y(result[n]), Y(result[n + 1]));
    a.vmovaps(Y(result[n]), Y(kT0));
  }
}

void MoveComponent(x86::Assembler& a, int component, int to, int from, int mask) {
  if (mask >= 0) {
    a.emit(component == 0 ? x86::Inst::kIdVpunpckldq : x86::Inst::kIdVpunpckhdq, Y(to), Y(mask),
           Y(mask));
    a.vandps(Y(to), Y(to), Y(from));
  } else if (to != from) {
    a.vmovaps(Y(to), Y(from));
  }
}

}  // namespace gcnjit::backend::avx2
