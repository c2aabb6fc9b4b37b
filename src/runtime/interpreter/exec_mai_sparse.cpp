// VOP3P-MAI: products of sparse matrices, D = A * B + D. Of each four elements in a row of A two
// are there; the third source says which, by two bits each.
//
// Sources: AMD's matrix instruction calculator (SMFMAC, CDNA 3: layouts of A, B, D and of the
// indices; CBSZ and ABID choose among sets of indices); AMD's rocjitsu, shared/mma_exec.h
// (exec_smfmac_*_fp8: where bytes and indices lie, and that EXEC is ignored); the CDNA3 ISA manual,
// sparse matrices, as notes on rocjitsu quote it (which bits of CBSZ and ABID count, the first
// index of a pair is the lower one).
#include <cstring>

#include "isa/matrix_shape.h"
#include "runtime/interpreter/matrix_registers.h"

namespace gcnjit::runtime {
namespace {

using frontend::MatrixElement;
using frontend::MatrixPlace;
using frontend::MatrixShape;

constexpr int kKeptOfEach = 2;  // elements of a group of A that are there
constexpr int kOfEach = 4;      // elements of a group

// The indices of a lane: two bits for each of its elements of A.
using PairIndices = uint16_t[kLanes];

// False after a fault.
bool ReadIndices(Wave& w, const Instruction& i, PairIndices& to) {
  constexpr const char* kSet =
      "CBSZ and ABID that sources read differently; CBSZ is to be below 4, ABID below 2";
  constexpr const char* kOrder =
      "indices of a sparse matrix that do not ascend; it is not known what hardware does";
  if (i.cbsz > 3 || (i.cbsz == 0 && i.abid > 1)) {
    w.RaiseUnsupported(kSet);
    return false;
  }
  const int set = i.cbsz == 0 ? i.abid : 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    to[lane] = static_cast<uint16_t>(w.state.vgpr[i.src[2].index][lane] >> (16 * set));
    for (int pair = to[lane] | 0x10000; pair > 1; pair >>= 4) {
      if ((pair & 3) < (pair >> 2 & 3)) continue;
      w.RaiseUnsupported(kOrder);
      return false;
    }
  }
  return true;
}

int32_t ByteAt(MatrixRegisters registers, int item, int lane) {
  return static_cast<int8_t>(BitsOfItem(registers, item, lane, 8));
}

// The part of a row of A times a column of B that lies in one lane of each.
uint32_t LaneProduct(MatrixRegisters a, int lane_of_a, uint32_t indices, MatrixRegisters b,
                     int lane_of_b) {
  int32_t sum = 0;
  for (int item = 0; item < 8; ++item) {
    const int group = item / kKeptOfEach;
    const int index = static_cast<int>(indices >> (2 * item) & 3);
    sum += ByteAt(a, item, lane_of_a) * ByteAt(b, kOfEach * group + index, lane_of_b);
  }
  return static_cast<uint32_t>(sum);
}

// `shape`: of the product, as if A were not sparse.
void MultiplySparse(Wave& w, const Instruction& i, const MatrixShape& shape) {
  PairIndices indices;
  if (!HasNoIndexing(w) || !ReadIndices(w, i, indices)) return;
  const MatrixRegisters a = w.state.vgpr + i.src[0].index;
  const MatrixRegisters b = w.state.vgpr + i.src[1].index;
  uint32_t result[16][kLanes];
  for (int row = 0; row < shape.m; ++row) {
    for (int column = 0; column < shape.n; ++column) {
      const MatrixPlace to = shape.OfC(0, row, column);
      uint32_t sum = w.state.vgpr[i.dst.index + to.item][to.lane];
      for (int part = 0; part < kLanes / shape.m; ++part) {
        const int lane_of_a = row + shape.m * part;
        sum += LaneProduct(a, lane_of_a, indices[lane_of_a], b, column + shape.n * part);
      }
      result[to.item][to.lane] = sum;
    }
  }
  std::memcpy(w.state.vgpr + i.dst.index, result,
              static_cast<size_t>(shape.ResultRegisters()) * sizeof result[0]);
}

}  // namespace

void exec_V_SMFMAC_I32_16X16X64_I8(Wave& w, const Instruction& i) {
  MultiplySparse(w, i, {16, 16, 64, 1, MatrixElement::kI8});
}
void exec_V_SMFMAC_I32_32X32X32_I8(Wave& w, const Instruction& i) {
  MultiplySparse(w, i, {32, 32, 32, 1, MatrixElement::kI8});
}

}  // namespace gcnjit::runtime
