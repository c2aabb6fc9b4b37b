// Rows of a slice's lanes (LateIndex) that an access has one below the other, each a run: where
// they all are follows from where the first and the last one are.
#pragma once

#include "backend_x64/emit/contiguous_accesses.h"
#include "backend_x64/emit/indexed_access.h"

namespace gcnjit::backend {

// Two rows are looked at one by one as fast.
constexpr bool IsWorthRowsAddress(int rows) { return rows > 2; }

// rax: where the first row begins; `step`: the bytes from each one's begin to the next one's. On to
// `fail` unless all of them are within the window, and no index wraps around within or between
// them. `rows`: how many there are (more than one), each of `lanes` lanes. Changes rcx, rdx.
void EmitRowsAddress(const IndexedOperands& access, const LateIndex& late, int rows, int lanes,
                     const x86::Gp& step, const asmjit::Label& fail);

}  // namespace gcnjit::backend
