// The frame of programs and the pieces without control flow.
#include "differential/program_builder.h"

#include <algorithm>
#include <string_view>

#include "differential/values.h"

namespace gcnjit::differential {

using frontend::Format;
using frontend::Generation;
using frontend::IsGfx8Plus;
using frontend::IsGfx9;
using frontend::OpcodeRow;
using frontend::OperandType;

namespace {

constexpr int kMaxDepth = 3;
constexpr int kMaxItems = 180;

// The bit that makes a DS instruction one of GDS.
int GdsBit(Generation generation) { return IsGfx8Plus(generation) ? 16 : 17; }

}  // namespace

ProgramBuilder::ProgramBuilder(Program& program, const int (&profile)[kPieceKinds], Random& random)
    : program_(program),
      profile_(profile),
      random_(random),
      plan_{program.vgpr_count},
      assembler_(program.generation),
      maker_(program.generation, plan_, random),
      rows_(RowsOf(program.generation)) {}

void ProgramBuilder::Build(int length) {
  if (random_.Percent(30)) {
    const uint32_t count = random_.Between(2, 10);
    for (uint32_t n = 0; n < count; ++n) focus_.push_back(RandomVectorRow());
  }
  if (program_.group.id_vgprs != 0 && random_.Percent(65)) AddressesFromIds();
  Body(length, 0);
  if (random_.Percent(35)) StoreRegisters();
  if (random_.Percent(6)) AccessAtEdge();
  Item end = assembler_.Sopp(Opcode::S_ENDPGM);
  end.fixed = true;
  const int last = Add(end);
  for (const int jump : jumps_) {
    TargetAt(jump, jump + 1 + static_cast<int>(random_.Below(static_cast<uint32_t>(last - jump))));
  }
  in_subroutine_ = true;
  for (const int call : calls_) {
    TargetHere(call);
    ShortBody(kMaxDepth);
    Add(assembler_.Sop1(Opcode::S_SETPC_B64, 0, Sgpr(kReturn)));
  }
  if (!calls_.empty()) Add(end);  // a reduced program must not run out of its code
}

void ProgramBuilder::StoreRegisters() {
  if (random_.Percent(70))
    Add(assembler_.Sop1(Opcode::S_MOV_B64, frontend::kCodeExecLo, kMinusOne));
  uint32_t offset = 0;
  const auto store = [&](uint32_t vgpr) {
    // No address VGPR, no SOFFSET: the resource adds the lane.
    AddRandom(Opcode::BUFFER_STORE_DWORD, Form::kHome,
              {{0, 0, 12, offset},
               {0, 12, 2, 0},
               {0, 15, 1, 0},
               {1, 0, 8, 0},
               {1, 8, 8, vgpr},
               {1, 16, 5, kSwizzled / 4},
               {1, 24, 8, 128}});
    offset += 4;
  };
  for (uint32_t n = random_.Between(4, 12); n > 0; --n) store(maker_.Vgpr(1));
  const bool with_scc = random_.Percent(50);
  if (with_scc) Add(assembler_.Sop2(Opcode::S_CSELECT_B32, kPool, Inline(1), Inline(0)));
  for (uint32_t n = random_.Between(2, 8); n > 0; --n) {
    const uint32_t code = random_.Percent(20) ? frontend::kCodeVccLo + random_.Bits(1)
                                              : random_.Between(kPool, kPoolEnd - 1);
    const uint32_t vgpr = maker_.Vgpr(1);
    Add(assembler_.Vop1(Opcode::V_MOV_B32, vgpr, Sgpr(code)));
    store(vgpr);
  }
}

void ProgramBuilder::Body(int length, int depth) {
  const int end = std::min(here() + length, kMaxItems);
  while (here() < end) {
    if (random_.Percent(5)) {
      Add(assembler_.Sop1(Opcode::S_MOV_B64, frontend::kCodeExecLo, kMinusOne));
    }
    Piece(static_cast<PieceKind>(random_.Weighted(profile_)), depth);
  }
}

void ProgramBuilder::Piece(PieceKind kind, int depth) {
  const bool nests = depth < kMaxDepth;
  switch (kind) {
    case PieceKind::kScalar: return Scalar();
    case PieceKind::kVector: return Vector();
    case PieceKind::kLaneCrossing: return LaneCrossing();
    case PieceKind::kLds: return Lds();
    case PieceKind::kFlat: return Flat();
    case PieceKind::kBuffer: return Buffer();
    case PieceKind::kScalarMemory: return ScalarMemory();
    case PieceKind::kBranch: return nests ? Branch(depth) : Vector();
    case PieceKind::kLoop: return nests && loops_ < 2 ? Loop(depth) : Vector();
    case PieceKind::kBlockLoop: return nests && loops_ < 2 ? BlockLoop() : Vector();
    case PieceKind::kExec: return Exec(depth);
    case PieceKind::kIndexing: return Indexing();
    case PieceKind::kMode: return ChangeMode();
    case PieceKind::kCall: return in_subroutine_ ? Scalar() : Call(depth);
    case PieceKind::kFork: return nests ? Fork(depth) : Scalar();
    case PieceKind::kMisc: return Misc();
    case PieceKind::kGds: return Gds();
    // Programs that fault say little: most pieces of this kind are something else.
    case PieceKind::kFault: return random_.Percent(12) ? Fault() : Flat();
  }
}

int ProgramBuilder::Add(const Item& item) {
  program_.items.push_back(item);
  return here() - 1;
}

void ProgramBuilder::TargetAt(int branch, int target) {
  Item& item = program_.items[static_cast<size_t>(branch)];
  if (item.fixup == Item::Fixup::kNone) item.fixup = Item::Fixup::kBranch;
  item.target = target;
}

bool ProgramBuilder::AddRandom(Opcode opcode, Form form, std::initializer_list<Field> fields) {
  const std::optional<Item> item = maker_.Make(frontend::RowOf(opcode), form, fields);
  if (item) Add(*item);
  return item.has_value();
}

bool ProgramBuilder::AddRandom(Opcode opcode, std::initializer_list<Field> fields) {
  const std::vector<Form> forms = FormsOf(program_.generation, frontend::RowOf(opcode));
  return AddRandom(opcode, random_.Pick(forms), fields);
}

bool ProgramBuilder::KeepsDenormals() const {
  constexpr uint32_t kAll = 3;
  return (program_.mode >> runtime::kModeDenorm32Shift & kAll) == kAll;
}

frontend::Opcode ProgramBuilder::RandomVectorRow() {
  const auto pick = [&](const std::vector<Opcode>& rows) { return random_.Pick(rows); };
  // Where denormals are flushed, the first one is a fault.
  const uint32_t matrix_percent = KeepsDenormals() ? 30 : 2;
  while (true) {
    switch (random_.Below(10)) {
      case 0:
      case 1: return pick(rows_.vop1);
      case 2:
      case 3: return pick(rows_.vop2);
      case 4:
      case 5: {
        const Opcode row = pick(rows_.vopc);
        // Each v_cmpx leaves fewer lanes.
        const bool writes_exec = frontend::RowOf(row).Has(frontend::EXEC_OUT);
        if (!writes_exec || random_.Percent(15)) return row;
        break;
      }
      case 6:
        if (!rows_.acc_moves.empty() && random_.Percent(50)) return pick(rows_.acc_moves);
        if (!rows_.matrix.empty() && random_.Percent(matrix_percent)) return pick(rows_.matrix);
        if (!rows_.vop3p.empty()) return pick(rows_.vop3p);
        break;
      default: return pick(rows_.vop3);
    }
  }
}

void ProgramBuilder::Scalar() {
  const Opcode row = random_.Pick(rows_.scalar);
  if (frontend::RowOf(row).Has(frontend::EXEC_OUT) && random_.Percent(70)) return;
  AddRandom(row);
}

void ProgramBuilder::Vector() {
  if (random_.Percent(2)) return ShiftChain();
  if (random_.Percent(1)) return Division();
  if (!rows_.matrix.empty() && KeepsDenormals() && random_.Percent(4)) return MatrixChain();
  const bool focused = !focus_.empty() && random_.Percent(70);
  AddRandom(focused ? random_.Pick(focus_) : RandomVectorRow());
}

void ProgramBuilder::LaneCrossing() {
  if (!rows_.dpp.empty() && IsGfx8Plus(program_.generation) && random_.Percent(50)) {
    AddRandom(random_.Pick(rows_.dpp), Form::kDpp);
    return;
  }
  AddRandom(random_.Pick(rows_.cross_lane));
}

// ---- Memory

void ProgramBuilder::PrepareM0() {
  if (IsGfx9(program_.generation) || random_.Percent(40)) return;
  Add(assembler_.Sop1(Opcode::S_MOV_B32, frontend::kCodeM0, kMinusOne));
}

uint32_t ProgramBuilder::MaskedOffset(Opcode row, uint32_t mask) {
  constexpr uint32_t kAlignments[] = {~15u, ~15u, ~15u, ~3u, ~0u};
  const bool aligned = frontend::RowOf(row).Has(frontend::ATOMIC) && random_.Percent(95);
  const uint32_t to = maker_.Vgpr(1);
  Add(assembler_.Vop2(Opcode::V_AND_B32, to,
                      Literal(mask & (aligned ? ~15u : random_.Pick(kAlignments))),
                      maker_.Vgpr(1)));
  return to;
}

uint32_t ProgramBuilder::AddressPair(uint32_t base_sgpr, uint32_t offset_vgpr) {
  const uint32_t pair = maker_.Vgpr(2);
  Add(assembler_.Vop2(Opcode::V_OR_B32, pair, Sgpr(base_sgpr), offset_vgpr));
  Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Sgpr(base_sgpr + 1)));
  return pair;
}

void ProgramBuilder::Lds() {
  const Opcode row = random_.Pick(rows_.lds);
  PrepareM0();
  const bool has_address = frontend::RowOf(row).src[0] != OperandType::NONE;
  if (has_address && random_.Percent(40)) {
    AddRandom(row, {{1, 0, 8, MaskedOffset(row, Machine::kLdsBytes - 1)}});
  } else {
    AddRandom(row);
  }
}

void ProgramBuilder::Flat() {
  if (random_.Percent(25)) return ElementAccess();
  if (rows_.flat.empty()) return Buffer();
  const Opcode row = random_.Pick(rows_.flat);
  const Format format = frontend::RowOf(row).On(program_.generation).format;
  if (random_.Percent(60)) {
    AddRandom(row);
  } else if (format == Format::kScratch) {
    // Some lanes beyond the end.
    const bool leaves = random_.Percent(8);
    const uint32_t offset = MaskedOffset(
        row, leaves ? Machine::kScratchPerLane * 2 - 1 : Machine::kScratchPerLane / 2 - 1);
    if (Has(program_.generation, frontend::kGfx942Isa)) {
      AddRandom(row, {{1, 16, 7, 0x7F}, {1, 0, 8, offset}, {0, 13, 1, 1}});
    } else {
      AddRandom(row, {{1, 16, 7, 0x7F}, {1, 0, 8, offset}});
    }
  } else {
    const uint32_t saddr = format == Format::kGlobal ? 0x7F : 0;
    const uint32_t offset = MaskedOffset(row, Machine::kDataBytes / 2 - 1);
    // GLOBAL's offset is signed: bit 12.
    AddRandom(row, {{1, 16, 7, saddr}, {1, 0, 8, AddressPair(kDataBase, offset)}, {0, 12, 1, 0}});
  }
}

void ProgramBuilder::Buffer() {
  if (!rows_.image.empty() && random_.Percent(25)) {
    AddRandom(random_.Pick(rows_.image));
    return;
  }
  const Opcode row = random_.Pick(rows_.buffer);
  if (frontend::RowOf(row).src[0] == OperandType::NONE || random_.Percent(70)) {
    AddRandom(row);
  } else {
    const uint32_t offset = MaskedOffset(row, Machine::kDataBytes / 2 - 1);
    AddRandom(row, {{0, 12, 2, 1}, {1, 0, 8, offset}, {1, 16, 5, kBuffer / 4}});
  }
}

// A scalar access whose base, SGPR offset and immediate may all have low bits, which count in the
// sum alone: compilers make (base + 1) - 1.
void ProgramBuilder::UnalignedScalarAccess(Opcode opcode) {
  const uint32_t base = kPool + 2 * random_.Below((kPoolEnd - kPool) / 2 - 1);
  const uint32_t offset = kPoolEnd - 1;
  Add(assembler_.Sop2(Opcode::S_ADD_U32, base, Sgpr(kDataMiddle), Inline(random_.Below(16))));
  Add(assembler_.Sop2(Opcode::S_ADDC_U32, base + 1, Sgpr(kDataMiddle + 1), Inline(0)));
  Add(assembler_.Sop1(Opcode::S_MOV_B32, offset, Inline(random_.Below(64))));
  const bool gfx9 = IsGfx9(program_.generation);
  if (!IsGfx8Plus(program_.generation)) {
    AddRandom(opcode, {{0, 9, 6, base / 2}, {0, 8, 1, 0}, {0, 0, 8, offset}});
  } else if (random_.Percent(70)) {
    // The immediate, on gfx9 with or without an SGPR.
    const uint32_t immediate = gfx9 ? random_.Below(32) - 16u : random_.Below(32);
    AddRandom(opcode, {{0, 0, 6, base / 2},
                       {0, 17, 1, 1},
                       {0, 14, 1, gfx9 ? random_.Bits(1) : 0},
                       {1, 0, gfx9 ? 21 : 20, immediate},
                       {1, 25, 7, gfx9 ? offset : 0}});
  } else {
    AddRandom(
        opcode,
        {{0, 0, 6, base / 2}, {0, 17, 1, 0}, {0, 14, 1, 0}, {1, 0, 21, offset}, {1, 25, 7, 0}});
  }
}

void ProgramBuilder::ScalarMemory() {
  const Opcode opcode = random_.Pick(rows_.scalar_memory);
  const OpcodeRow& row = frontend::RowOf(opcode);
  const bool plain = row.src[0] == OperandType::NONE || row.Has(frontend::ATOMIC) ||
                     std::string_view(row.id).find("SCRATCH") != std::string_view::npos;
  if (plain || random_.Percent(50)) {
    AddRandom(opcode);
    return;
  }
  if (row.src[0] == OperandType::B64 && random_.Percent(50)) return UnalignedScalarAccess(opcode);
  const uint32_t offset = random_.Between(kPool, kPoolEnd - 1);
  Add(assembler_.Sop2(Opcode::S_AND_B32, offset, Literal(random_.Percent(70) ? 0x1FFC : 0x1FFF),
                      Sgpr(random_.Between(kPool, kPoolEnd - 1))));
  if (IsGfx8Plus(program_.generation)) {
    AddRandom(opcode, {{0, 17, 1, 0}, {0, 14, 1, 0}, {1, 0, 21, offset}, {1, 25, 7, 0}});
  } else {
    AddRandom(opcode, {{0, 8, 1, 0}, {0, 0, 8, offset}});
  }
}

void ProgramBuilder::Gds() {
  program_.uses_gds = true;
  const uint32_t base = 8 * random_.Below(256);
  const uint32_t size = random_.Percent(80) ? 0x1000 : random_.Below(0x1000);
  Add(assembler_.Sop1(Opcode::S_MOV_B32, frontend::kCodeM0, Literal(base << 16 | size)));
  AddRandom(random_.Pick(rows_.lds), {{0, GdsBit(program_.generation), 1, 1}});
}

// ---- What looks at MODE and M0

// To be added to a VGPR's number: most give another one that there is, others the last one and
// those after it.
uint32_t ProgramBuilder::RandomIndex(uint32_t vgpr) {
  if (random_.Percent(95)) return random_.Below(4);
  return random_.Percent(20) ? random_.Below(256) : plan_.count - vgpr - 1 + random_.Below(3);
}

// What compilers make of arrays in VGPRs: moves alone between on and off.
void ProgramBuilder::IndexedMoves() {
  const uint32_t reg = kPool + random_.Below(kPoolEnd - kPool);
  const uint32_t index = random_.Percent(20) ? uint32_t{frontend::kCodeM0} : reg;
  const uint32_t array = maker_.Vgpr(1);
  const auto vgpr = [&] { return random_.Percent(60) ? array : maker_.Vgpr(1); };
  const uint32_t number = RandomIndex(array) | random_.Bits(16) << 16;
  Add(assembler_.Sop1(Opcode::S_MOV_B32, index, Literal(number)));
  if (random_.Percent(30)) {
    Add(assembler_.Sop2(Opcode::S_AND_B32, index, Sgpr(index),
                        Inline(random_.Pick({1u, 3u, 15u}))));
  }
  Item on = assembler_.Sopc(Opcode::S_SET_GPR_IDX_ON, Sgpr(index), {});
  encoding::SetField(on.words[0], 8, 8,
                     random_.Percent(80) ? random_.Pick({1u, 8u}) : random_.Bits(4));
  Add(on);
  for (uint32_t n = random_.Between(1, 4); n > 0; --n) {
    const Source source = random_.Percent(80) ? Vgpr(vgpr()) : Sgpr(reg);
    Add(assembler_.Vop1(Opcode::V_MOV_B32, vgpr(), source));
    if (random_.Percent(15)) {
      const uint32_t other = kPool + random_.Below(kPoolEnd - kPool);
      Add(assembler_.Sop2(Opcode::S_ADD_U32, other, Sgpr(other), Inline(1)));
    }
  }
  Add(assembler_.Sopp(Opcode::S_SET_GPR_IDX_OFF));
}

void ProgramBuilder::Indexing() {
  const uint32_t index = random_.Below(4);
  const bool gfx8_plus = IsGfx8Plus(program_.generation);
  if (gfx8_plus && random_.Percent(40)) return IndexedMoves();
  if (gfx8_plus && random_.Percent(50)) {
    Item on = assembler_.Sopc(Opcode::S_SET_GPR_IDX_ON, Inline(index), {});
    encoding::SetField(on.words[0], 8, 8, random_.Bits(4));
    Add(on);
    for (uint32_t n = random_.Between(1, 4); n > 0; --n) {
      Vector();
      if (random_.Percent(15)) {
        Add(assembler_.Sop1(Opcode::S_SET_GPR_IDX_IDX, 0, Inline(random_.Below(3))));
      }
      if (random_.Percent(15)) {
        Add(assembler_.Sopp(Opcode::S_SET_GPR_IDX_MODE, random_.Bits(4)));
      }
    }
    Add(assembler_.Sopp(Opcode::S_SET_GPR_IDX_OFF));
    return;
  }
  const bool vector = !rows_.relative_vector.empty() && random_.Percent(50);
  // Pairs of SGPRs are even.
  const uint32_t even = vector || random_.Percent(10) ? index : index & ~1u;
  // Now and then another one, negative ones too, which may be a register all the same.
  const uint32_t m0 = random_.Percent(95) ? even : RandomIndex(maker_.Vgpr(1)) - random_.Below(8);
  Add(assembler_.Sop1(Opcode::S_MOV_B32, frontend::kCodeM0, Literal(m0)));
  const Opcode row = random_.Pick(vector ? rows_.relative_vector : rows_.relative_scalar);
  if (vector || random_.Percent(10)) {
    AddRandom(row);
  } else {
    const uint32_t reg = kPool + 2 * random_.Below(4);
    const bool moves_source = row == Opcode::S_MOVRELS_B32 || row == Opcode::S_MOVRELS_B64;
    AddRandom(row, {moves_source ? Field{0, 0, 8, reg} : Field{0, 16, 7, reg}});
  }
}

void ProgramBuilder::ChangeMode() {
  const auto hwreg = [](uint32_t id, uint32_t offset, uint32_t size) {
    return (size - 1) << 11 | offset << 6 | id;
  };
  constexpr uint32_t kModeFields[][2] = {{0, 8}, {0, 2}, {2, 2}, {4, 4}, {4, 2}, {8, 2}, {9, 1}};
  const auto& field = kModeFields[random_.Below(std::size(kModeFields))];
  const uint32_t mode = hwreg(1, field[0], field[1]);
  switch (random_.Below(6)) {
    case 0: {
      const uint32_t read[] = {mode,
                               hwreg(1, 0, 32),
                               hwreg(2, 0, 17),
                               hwreg(5, 0, 32),
                               hwreg(6, 0, 32),
                               hwreg(7, 0, 32),
                               hwreg(4, 0, 32),
                               hwreg(3, 0, 32),
                               IsGfx9(program_.generation) ? hwreg(15, 0, 32) : mode,
                               IsGfx9(program_.generation) ? hwreg(16, 0, 32) : mode};
      Add(assembler_.Sopk(Opcode::S_GETREG_B32, random_.Between(kPool, 15), random_.Pick(read)));
      return;
    }
    case 1: {
      const uint32_t trapsts = hwreg(3, random_.Below(16), random_.Between(1, 16));
      Add(assembler_.Sopk(Opcode::S_SETREG_B32, random_.Between(kPool, 15),
                          random_.Percent(70) ? mode : trapsts));
      return;
    }
    case 2: {
      if (random_.Percent(60)) return;
      Add(assembler_.Sopc(Opcode::S_SETVSKIP, Inline(random_.Below(2)), Inline(0)));
      ShortBody(kMaxDepth);
      Add(assembler_.Sopc(Opcode::S_SETVSKIP, Inline(0), Inline(0)));
      return;
    }
    case 3:
      if (IsGfx9(program_.generation)) {
        Add(assembler_.Sopk(Opcode::S_SETREG_IMM32_B32, 0, hwreg(1, 23, 1), random_.Bits(1)));
        return;
      }
      [[fallthrough]];
    default: Add(assembler_.Sopk(Opcode::S_SETREG_IMM32_B32, 0, mode, random_.Word())); return;
  }
}

// ---- The rest

void ProgramBuilder::Misc() {
  struct Hint {
    Opcode opcode;
    uint32_t immediate;
  };
  const Hint hints[] = {
      {Opcode::S_NOP, random_.Bits(3)},
      {Opcode::S_WAITCNT, random_.Bits(7)},
      {Opcode::S_SETPRIO, 1},
      {Opcode::S_BARRIER, 0},
      {Opcode::S_SLEEP, 1},
      {Opcode::S_ICACHE_INV, 0},
      {Opcode::S_INCPERFLEVEL, 1},
      {Opcode::S_DECPERFLEVEL, 1},
      {Opcode::S_TTRACEDATA, 0},
      {Opcode::S_SENDMSG, 1},
      {Opcode::S_TRAP, 3},
      {Opcode::S_SETHALT, 0},
      {Opcode::S_SETKILL, 0},
      {Opcode::S_WAKEUP, 0},
      {Opcode::S_CBRANCH_CDBGSYS, 0},
      {Opcode::S_CBRANCH_CDBGUSER, 0},
      {Opcode::S_CBRANCH_CDBGSYS_OR_USER, 0},
      {Opcode::S_CBRANCH_CDBGSYS_AND_USER, 0},
  };
  const Hint hint = random_.Pick(hints);
  if (random_.Percent(20)) {
    Add(assembler_.Sop1(Opcode::S_GETPC_B64, kPool + 2 * random_.Below(6), {}));
  } else if (assembler_.Has(hint.opcode)) {
    Add(assembler_.Sopp(hint.opcode, hint.immediate));
  }
}

void ProgramBuilder::Fault() {
  Item item;
  switch (random_.Below(6)) {
    case 0: Add(assembler_.Sopp(Opcode::S_TRAP, 2)); return;
    case 1: item.words[0] = 0xFFFFFFFF; break;  // no instruction of any generation
    case 2: item = assembler_.Vop1(Opcode::V_MOV_B32, program_.vgpr_count, Inline(1)); break;
    case 3:
      item = assembler_.Sop1(Opcode::S_SETPC_B64, 0, Sgpr(kPool + 2 * random_.Below(6)));
      break;
    default: {
      if (rows_.flat.empty()) return;
      // An address from anywhere, in some lanes.
      const uint32_t pair = maker_.Vgpr(2);
      Compare();
      Add(assembler_.Vop2(Opcode::V_CNDMASK_B32, pair, Sgpr(kDataBase), plan_.random_address()));
      Add(assembler_.Vop1(Opcode::V_MOV_B32, pair + 1, Sgpr(kDataBase + 1)));
      const bool far = random_.Percent(50);
      const Source distance = Literal(far ? random_.Word() : 0 - random_.Bits(15));
      Add(assembler_.Vop2(Opcode::V_XOR_B32, pair, distance, pair));
      const Opcode row = random_.Pick(rows_.flat);
      const bool global = frontend::RowOf(row).On(program_.generation).format == Format::kGlobal;
      AddRandom(row, {{1, 16, 7, global ? 0x7Fu : 0}, {1, 0, 8, pair}});
      return;
    }
  }
  Add(item);
}

}  // namespace gcnjit::differential
