// Puts a random program together from pieces.
#pragma once

#include <optional>
#include <vector>

#include "differential/assembler.h"
#include "differential/instruction_maker.h"
#include "differential/program.h"
#include "differential/random.h"
#include "differential/row_lists.h"

namespace gcnjit::differential {

enum class PieceKind : uint8_t {
  kScalar,
  kVector,
  kLaneCrossing,
  kLds,
  kFlat,
  kBuffer,
  kScalarMemory,
  kBranch,
  kLoop,
  kBlockLoop,
  kExec,
  kIndexing,
  kMode,
  kCall,
  kFork,
  kMisc,
  kGds,
  kFault,
};
inline constexpr size_t kPieceKinds = 18;

// A loop of one block.
struct BlockLoopPlan {
  enum class Memory : uint8_t { kNone, kLoads, kLoadsAndStores };
  uint32_t trips = 1;
  Memory memory = Memory::kNone;
  bool walks = false;       // an address goes on by `step` in each iteration
  bool is_of_rows = false;  // it is all that the loop accesses, and lanes may be far apart
  bool keeps_sum = false;   // in memory
  Source step;
  uint32_t step_bytes = 0;  // of rows
  uint32_t left = 0;        // an SGPR pair for the lanes that have left
};

class ProgramBuilder {
 public:
  ProgramBuilder(Program& program, const int (&profile)[kPieceKinds], Random& random);

  // About `length` instructions and s_endpgm.
  void Build(int length);
  // Likewise, for Program::rows.
  void BuildRows(int length);

 private:
  using Opcode = frontend::Opcode;

  static constexpr int kMaxDepth = 3;  // of loops and branches

  // Stores registers to scratch, so that memory shows them.
  void StoreRegisters();
  // Pieces until `length` instructions were added. `depth`: of loops and branches around.
  void Body(int length, int depth);
  void Piece(PieceKind kind, int depth);
  // Bodies within pieces.
  void ShortBody(int depth) { Body(static_cast<int>(random_.Between(1, 8)), depth + 1); }

  void Scalar();
  void Vector();
  void LaneCrossing();
  void Lds();
  void Flat();
  void Buffer();
  void ScalarMemory();
  void UnalignedScalarAccess(frontend::Opcode opcode);
  void Branch(int depth);
  void Loop(int depth);
  void BlockLoop();
  void Exec(int depth);
  void ShortIf();
  uint32_t RandomIndex(uint32_t vgpr);
  void IndexedMoves();
  void Indexing();
  void ChangeMode();
  void Call(int depth);
  void Fork(int depth);
  void Misc();
  void Gds();
  void Fault();

  // Addresses and offsets from work-item ids, see program_item_ids.cpp.
  void AddressesFromIds();
  void OffsetOfItem(uint32_t vgpr, uint32_t shift);
  void DataAddress(uint32_t pair, uint32_t offset);

  // Addresses of which some are no longer what they were, see program_edges.cpp.
  void AccessAtEdge();
  uint32_t FarAddress();
  uint32_t WrappingIndex();
  uint32_t AddressElsewhere(Source is_bad);

  // Parts of BuildRows, see program_rows.cpp.
  void LoadArguments(Opcode opcode, uint32_t sgpr, uint32_t offset);
  void LoadAllArguments();
  void LoadAnyArguments();
  void ItemOffsets();
  int Guard();
  void BufferAccess(Opcode opcode, uint32_t vgpr, uint32_t offset);
  void StoreItem();

  // What compilers write, see program_patterns.cpp.
  void ShiftChain();
  void Division();
  void IntegerDivision();
  void MatrixChain();
  void ElementAccess();
  uint32_t ElementAddress();
  void LaneNumber(uint32_t vgpr);
  void AddInPair(uint32_t pair, Source low, Source high);
  void ShiftPair(uint32_t pair, uint32_t count);

  // Parts of BlockLoop.
  uint32_t BlockLoopTrips();
  void NarrowExec();
  void BeginWalk(BlockLoopPlan& loop);
  void BeginRows(BlockLoopPlan& loop);
  void UniformLoop(const BlockLoopPlan& loop);
  void DivergentLoop(const BlockLoopPlan& loop);
  void LoopEnteredInTheMiddle(const BlockLoopPlan& loop);
  void BlockLoopBody(const BlockLoopPlan& loop);
  void FewLanes(uint32_t saved);
  void BlockLoopLoad();
  void WriteLane();
  void WiderExec();
  void StoreSum();
  void RowBody(const BlockLoopPlan& loop);
  void Walk(const BlockLoopPlan& loop);
  void StepOn(const BlockLoopPlan& loop);
  void LoadElement(const BlockLoopPlan& loop);
  // `is_near`: global memory at most 16 bytes further, where there are such instructions.
  void AccessOnWalk(bool stores, bool is_near);
  void AddInVgpr(uint32_t vgpr, Source summand);
  // A row with all of the flags that the JIT compiles, with few exceptions.
  std::optional<Opcode> LiftedRow(const std::vector<Opcode>& rows, uint32_t flags = 0);
  void AddLifted(const std::vector<Opcode>& rows, uint32_t flags = 0);

  // Adds an item; returns its index.
  int Add(const Item& item);
  int AddBranch(Opcode opcode) { return Add(assembler_.Sopp(opcode)); }
  // Makes item `branch` go to the next item that is added.
  void TargetHere(int branch) { TargetAt(branch, here()); }
  void TargetAt(int branch, int target);
  // An SGPR pair with the address of an item: the returned one's target is still to be set.
  int AddAddress(uint32_t pair);
  // A random instruction of the row, in a random form unless one is given.
  bool AddRandom(Opcode opcode, std::initializer_list<Field> fields = {});
  bool AddRandom(Opcode opcode, Form form, std::initializer_list<Field> fields = {});
  Opcode RandomVectorRow();
  bool KeepsDenormals() const;
  Opcode RandomCondition();
  void Compare();  // a v_cmp to VCC that holds in some lanes
  // M0 such that LDS can be accessed, on generations that look at it there.
  void PrepareM0();
  // A pool VGPR with offsets of at most `mask` for an access of the row, from random values.
  uint32_t MaskedOffset(Opcode row, uint32_t mask);
  // A pool pair with addresses base (an SGPR pair) | offset. The low dword has no carry.
  uint32_t AddressPair(uint32_t base_sgpr, uint32_t offset_vgpr);
  uint32_t SavedExec() { return kSavedExec + 2 * random_.Below(4); }
  int here() const { return static_cast<int>(program_.items.size()); }

  Program& program_;
  const int (&profile_)[kPieceKinds];
  Random& random_;
  const VgprPlan plan_;
  const Assembler assembler_;
  InstructionMaker maker_;
  const RowLists& rows_;
  std::vector<Opcode> focus_;  // a few rows that come up more often than the rest
  std::vector<int> calls_;     // items that go to subroutines not yet placed
  std::vector<int> jumps_;     // branches to anywhere later in the program
  uint32_t loops_ = 0;         // around the current place
  bool in_subroutine_ = false;
};

}  // namespace gcnjit::differential
