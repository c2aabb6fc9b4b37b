// The frame of programs, and the pieces that compute, hint or fault.
#include "differential/program_builder.h"

#include <algorithm>

namespace gcnjit::differential {

using frontend::Format;
using frontend::IsGfx8Plus;

namespace {

constexpr int kMaxItems = 180;

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
  if (random_.Percent(1)) return random_.Percent(60) ? Division() : IntegerDivision();
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
