// Products of matrices (ir::Op::kMatrix): a host register has elements of a row of the result, to
// which an element of A, repeated, times elements of a row of B is added.
//
// Sums are in the wave's VGPRs, and what is multiplied where the block has left it. Elements of
// less than 32 bits are widened before, into temps: halves to f32, bytes to 16 bits, of which there
// are two in a lane.
#pragma once

#include <array>
#include <bitset>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/plan/matrix_chains.h"

namespace gcnjit::backend {

class MatrixCode {
 public:
  explicit MatrixCode(BlockParts& parts);

  // All of a block's, after its stages. Changes vector registers, r13, r14, r15.
  void Emit(std::span<const MatrixStep> steps);

 private:
  using MatrixElement = ir::MatrixElement;
  // Where a source's elements are: an offset from rbx, or from r14.
  struct Place {
    bool is_temp = false;
    int32_t offset = 0;
  };
  struct Step {
    ir::MatrixProduct product;
    Place a, b;  // with elements of 32 bits, or of 16
  };
  // A host register's worth of a result.
  struct Part {
    int item;  // register
    int first_lane;
  };
  struct ResultPlace {
    int block, row, column;
  };
  using ResultPlaces = std::array<std::array<ResultPlace, ir::kLanes>, 32>;
  static ResultPlaces PlacesOf(const ir::MatrixShape& shape);

  // Of a tile, by number.
  struct Registers {
    explicit Registers(int lanes);
    int most_parts;  // the parts have 0 and on
    int of_a;        // first of those of A's elements, of temporary ones, of B's
    int temporary;
    int of_b;
    int b_count;
  };

  // What a part takes of A and B, for some of the K: lanes of their registers.
  struct FactorLanes {
    int b_first = 0;
    std::vector<int> a;  // by lane of the part
  };

  void EmitChain(const MatrixChain& chain);
  Place PlaceOf(ir::Value dword);
  void CopyToTemp(ir::Value dword, int temp);
  Place Widened(const MatrixSource& source, MatrixElement element);
  void WidenIntegers(const Place& from, bool is_bytes, int temp);
  void WidenHalves(const Place& from, int temp);
  int TakeTemps(int count);
  void FreeTemps();

  void EmitTile(const std::vector<Step>& steps, std::span<const Part> parts, int32_t result,
                bool is_temp);
  void EmitStep(const Step& step, std::span<const Part> parts, int at);
  void LoadA(const Step& step, const std::vector<int>& lanes);
  void Accumulate(MatrixElement element, int accumulator, std::span<const asmjit::Operand> b);
  void CopyResult(int temp, int first_register, int count);

  FactorLanes FactorsOf(const Step& step, const Part& part, int at) const;
  x86::Mem At(const Place& place, int unit, int lane) const;
  x86::Mem Vgpr(int number, int lane) const;
  x86::Reg V(int number) const;
  x86::Reg Half(int number) const;  // of half the size
  template <typename... Operands>
  void I(uint32_t id, Operands... operands) {
    a.emit(id, operands...);
  }

  x86::Assembler& a;
  BlockParts& b_;
  RegionAssembler& region_;
  const int lanes_;  // of a host register
  const Registers registers_;
  bool is_looping_ = false;          // r13 and r15 are added to places in C and D, and in A
  ResultPlaces places_ = {};         // of the chain that is emitted
  std::bitset<ir::kVgprs> results_;  // of all of the block's matrices
  std::map<uint32_t, int> copied_;   // temps by value id
  std::map<std::tuple<uint32_t, uint32_t, MatrixElement>, int> widened_;  // by the dwords' ids
  std::vector<std::pair<int, int>> taken_;                                // temps and how many
};

}  // namespace gcnjit::backend
