// DS, MUBUF, MTBUF, FLAT, GLOBAL, SCRATCH, MIMG and EXP: all in two words, none with a literal.
//
// Field positions: GCN3 and Vega ISA manuals, "Microcode formats"; SLC of MUBUF is in the second
// word on gfx6-7 and in the first on gfx8-9.
#include "frontend/decode/decoder_internal.h"
#include "isa/image_operands.h"

namespace gcnjit::frontend::decoder_internal {
namespace {

using enum OperandType;

constexpr uint32_t kSaddrOff = 0x7F;

// Whether data are in AccVGPRs.
bool DataIsAcc(Decoding& d) {
  if (!Has(d.generation(), kUnifiedVgprs)) return false;
  return d.out().encoding == Encoding::kDs ? Bit(d.word0(), 25) : Bit(d.word1(), 23);
}

bool DataVgpr(Decoding& d, uint32_t field, OperandType type, Operand& operand, int registers = 0) {
  return DataIsAcc(d) ? d.AccVgpr(field, type, operand, registers)
                      : d.Vgpr(field, type, operand, registers);
}

bool DataIfPresent(Decoding& d, uint32_t field, OperandType type, Operand& operand) {
  return type == NONE || DataVgpr(d, field, type, operand);
}

bool VgprIfPresent(Decoding& d, uint32_t field, OperandType type, Operand& operand) {
  return type == NONE || d.Vgpr(field, type, operand);
}

// The loaded VGPRs, or what an atomic returns (only with GLC); TFE appends a status dword.
bool LoadedVgprs(Decoding& d, OperandType type, uint32_t field) {
  Instruction& out = d.out();
  if (type == NONE || (out.row().Has(ATOMIC) && !out.glc)) return true;
  return DataVgpr(d, field, type, out.dst, RegistersOf(type) + (out.tfe ? 1 : 0));
}

// Buffer data by row, but for unpacked D16 formats, which have a register for each half (LLVM
// FeatureUnpackedD16VMem: gfx8.0.x).
OperandType BufferDataType(Generation generation, const OpcodeRow& row, OperandType type) {
  if (!Has(generation, kUnpackedD16) || type == NONE) return type;
  if (row.names.ends_with("_format_d16_xy")) return B64;
  if (row.names.ends_with("_format_d16_xyz")) return B96;
  if (row.names.ends_with("_format_d16_xyzw")) return B128;
  return type;
}

DecodeStatus Status(bool ok) { return ok ? DecodeStatus::kOk : DecodeStatus::kBadOperand; }

bool IsFloatAtomic(const OpcodeRow& row) {
  switch (row.opcode) {
    case Opcode::BUFFER_ATOMIC_ADD_F32:
    case Opcode::BUFFER_ATOMIC_PK_ADD_F16:
    case Opcode::BUFFER_ATOMIC_ADD_F64:
    case Opcode::BUFFER_ATOMIC_MIN_F64:
    case Opcode::BUFFER_ATOMIC_MAX_F64:
    case Opcode::FLAT_ATOMIC_ADD_F64:
    case Opcode::FLAT_ATOMIC_MIN_F64:
    case Opcode::FLAT_ATOMIC_MAX_F64:
    case Opcode::GLOBAL_ATOMIC_ADD_F32:
    case Opcode::GLOBAL_ATOMIC_PK_ADD_F16:
    case Opcode::GLOBAL_ATOMIC_ADD_F64:
    case Opcode::GLOBAL_ATOMIC_MIN_F64:
    case Opcode::GLOBAL_ATOMIC_MAX_F64: return true;
    default: return false;
  }
}

// Float atomics of gfx908 have no form that returns the old value, and those of CDNA 2 no SCC.
bool CacheBitsAreDefined(Generation generation, const OpcodeRow& row, bool glc, bool scc) {
  if (!IsFloatAtomic(row) || Has(generation, kGfx942Isa)) return true;
  return !scc && (!glc || Has(generation, kFloatAtomicsReturn));
}

// What GLC, LDS and, on gfx8-9, the reserved bit 15 do is not known, but where they are the scope.
// (On gfx90a only compilers know it: LLVM 15 sets both for a release to the system, and its
// disassembler takes them for nothing.)
bool CacheMaintenance(Decoding& d, const OpcodeRow& row) {
  const bool has_scope = row.opcode == Opcode::BUFFER_WBL2 || row.opcode == Opcode::BUFFER_INV;
  const bool has_no_acc = Has(d.generation(), kGfx942Isa) || row.opcode == Opcode::BUFFER_WBL2 ||
                          row.opcode == Opcode::BUFFER_INVL2;
  return (Bits(d.word0(), 12, 5) & (has_scope ? 0x13u : 0x1Fu)) == 0 &&
         !(has_no_acc && DataIsAcc(d));
}

// The parts that MUBUF and MTBUF share.
bool BufferOperands(Decoding& d, const OpcodeRow& row) {
  const uint32_t word0 = d.word0();
  const uint32_t word1 = d.word1();
  Instruction& out = d.out();
  out.offset = static_cast<int32_t>(Bits(word0, 0, 12));
  out.has_offset = true;
  out.offen = Bit(word0, 12);
  out.idxen = Bit(word0, 13);
  out.glc = Bit(word0, 14);
  out.addr64 = !IsGfx8Plus(d.generation()) && Bit(word0, 15);
  out.tfe = !Has(d.generation(), kSccBit) && Bit(word1, 23);
  if (row.src[0] == NONE) return CacheMaintenance(d, row);

  // ADDR64 takes the VGPR pair for itself (Southern Islands manual, MUBUF).
  if (out.addr64 && (out.offen || out.idxen)) return false;
  const int address_registers = out.addr64 ? 2 : (out.offen ? 1 : 0) + (out.idxen ? 1 : 0);
  const uint32_t address = Bits(word1, 0, 8);
  if (address_registers > 0 && !d.Vgpr(address, VADDR, out.src[0], address_registers)) return false;
  const uint32_t data = Bits(word1, 8, 8);
  const OperandType loaded = BufferDataType(d.generation(), row, row.dst);
  const OperandType stored = BufferDataType(d.generation(), row, row.src[1]);
  if (out.lds && DataIsAcc(d)) return false;
  if (!out.lds && !LoadedVgprs(d, loaded, data)) return false;
  if (stored != NONE && !DataVgpr(d, data, stored, out.src[1])) return false;
  return d.ScalarRegister(Bits(word1, 16, 5) * 4, B128, out.src[2]) &&
         d.Source(Bits(word1, 24, 8), U32, kAllowNone, out.src[3]);
}

// Loads that can go to LDS (GCN3 manual, "Memory buffer load to LDS").
bool CanLoadToLds(const OpcodeRow& row) {
  switch (row.opcode) {
    case Opcode::BUFFER_LOAD_UBYTE:
    case Opcode::BUFFER_LOAD_SBYTE:
    case Opcode::BUFFER_LOAD_USHORT:
    case Opcode::BUFFER_LOAD_SSHORT:
    case Opcode::BUFFER_LOAD_DWORD:
    case Opcode::BUFFER_LOAD_FORMAT_X: return true;
    default: return false;
  }
}

// Global wave sync and ordered count are GDS only; the permutes touch no memory.
bool GdsBitIsDefined(Generation generation, const OpcodeRow& row, bool gds) {
  switch (row.opcode) {
    case Opcode::DS_GWS_INIT:
    case Opcode::DS_GWS_SEMA_V:
    case Opcode::DS_GWS_SEMA_BR:
    case Opcode::DS_GWS_SEMA_P:
    case Opcode::DS_GWS_BARRIER:
    case Opcode::DS_GWS_SEMA_RELEASE_ALL:
    case Opcode::DS_ORDERED_COUNT: return gds;
    case Opcode::DS_PERMUTE_B32:
    case Opcode::DS_BPERMUTE_B32:
    case Opcode::DS_NOP: return !gds;
    default: return !gds || !Has(generation, kGdsOnlySyncs);
  }
}

// Global wave sync reads its register as the first of a pair.
bool SyncDataIsDefined(Generation generation, const OpcodeRow& row, uint32_t data) {
  switch (row.opcode) {
    case Opcode::DS_GWS_INIT:
    case Opcode::DS_GWS_SEMA_BR:
    case Opcode::DS_GWS_BARRIER: return !Has(generation, kEvenVgprTuples) || data % 2 == 0;
    default: return true;
  }
}

}  // namespace

DecodeStatus DecodeDs(Decoding& d) {
  const bool gfx8_plus = IsGfx8Plus(d.generation());
  const uint32_t number = gfx8_plus ? Bits(d.word0(), 17, 8) : Bits(d.word0(), 18, 8);
  const OpcodeRow* row = d.SetOpcode(Format::kDs, number, Encoding::kDs);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  const uint32_t word0 = d.word0();
  const uint32_t word1 = d.word1();
  Instruction& out = d.out();
  out.offset0 = static_cast<uint8_t>(Bits(word0, 0, 8));
  out.offset1 = static_cast<uint8_t>(Bits(word0, 8, 8));
  out.offset = static_cast<int32_t>(Bits(word0, 0, 16));
  out.has_offset = true;
  out.gds = Bit(word0, gfx8_plus ? 16 : 17);
  if (!GdsBitIsDefined(d.generation(), *row, out.gds)) return DecodeStatus::kBadOperand;
  if (!SyncDataIsDefined(d.generation(), *row, Bits(word1, 0, 8))) return DecodeStatus::kBadOperand;
  const bool has_data = row->dst != NONE || row->src[1] != NONE || row->src[2] != NONE;
  if (DataIsAcc(d) && !has_data) return DecodeStatus::kBadOperand;
  return Status(DataIfPresent(d, Bits(word1, 24, 8), row->dst, out.dst) &&
                VgprIfPresent(d, Bits(word1, 0, 8), row->src[0], out.src[0]) &&
                DataIfPresent(d, Bits(word1, 8, 8), row->src[1], out.src[1]) &&
                DataIfPresent(d, Bits(word1, 16, 8), row->src[2], out.src[2]));
}

DecodeStatus DecodeMubuf(Decoding& d) {
  const OpcodeRow* row = d.SetOpcode(Format::kMubuf, Bits(d.word0(), 18, 7), Encoding::kMubuf);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  const uint32_t word0 = d.word0();
  Instruction& out = d.out();
  out.lds = Bit(word0, 16);
  out.slc = IsGfx8Plus(d.generation()) ? Bit(word0, 17) : Bit(d.word1(), 22);
  const bool stores_lds = row->opcode == Opcode::BUFFER_STORE_LDS_DWORD;
  if (out.lds ? !(stores_lds || CanLoadToLds(*row)) : stores_lds) return DecodeStatus::kBadOperand;
  if (stores_lds && Bits(word0, 12, 2) != 0) return DecodeStatus::kBadOperand;  // no VGPR address
  out.scc = Has(d.generation(), kSccBit) && Bit(word0, 15);
  if (!CacheBitsAreDefined(d.generation(), *row, Bit(word0, 14), out.scc))
    return DecodeStatus::kBadOperand;
  return Status(BufferOperands(d, *row));
}

DecodeStatus DecodeMtbuf(Decoding& d) {
  const uint32_t word0 = d.word0();
  const uint32_t number = IsGfx8Plus(d.generation()) ? Bits(word0, 15, 4) : Bits(word0, 16, 3);
  const OpcodeRow* row = d.SetOpcode(Format::kMtbuf, number, Encoding::kMtbuf);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  out.dfmt = static_cast<uint8_t>(Bits(word0, 19, 4));
  out.nfmt = static_cast<uint8_t>(Bits(word0, 23, 3));
  out.slc = Bit(d.word1(), 22);
  out.scc = Has(d.generation(), kSccBit) && Bit(d.word1(), 21);
  return Status(BufferOperands(d, *row));
}

namespace {

// The LDS bit (Vega manual, FLAT "LDS") is defined for loads of at most a dword. On gfx942 loads to
// LDS are instructions of their own, and the bit is SCRATCH's SVE.
bool LdsBitIsDefined(Generation generation, const OpcodeRow& row, Encoding encoding) {
  if (Has(generation, kGfx942Isa)) return encoding == Encoding::kScratch;
  switch (row.opcode) {
    case Opcode::GLOBAL_LOAD_UBYTE:
    case Opcode::GLOBAL_LOAD_SBYTE:
    case Opcode::GLOBAL_LOAD_USHORT:
    case Opcode::GLOBAL_LOAD_SSHORT:
    case Opcode::GLOBAL_LOAD_DWORD:
    case Opcode::SCRATCH_LOAD_UBYTE:
    case Opcode::SCRATCH_LOAD_SBYTE:
    case Opcode::SCRATCH_LOAD_USHORT:
    case Opcode::SCRATCH_LOAD_SSHORT:
    case Opcode::SCRATCH_LOAD_DWORD: return true;
    default: return false;
  }
}

bool IsLoadToLds(const OpcodeRow& row) { return row.Has(LOAD) && row.dst == NONE; }

// SCRATCH of gfx942 has a bit (SVE) that says whether there is a VGPR, and can have neither
// register.
bool ScratchAddress(Decoding& d, uint32_t address, uint32_t saddr) {
  Instruction& out = d.out();
  const bool has_both = Has(d.generation(), kGfx942Isa);
  if (has_both ? Bit(d.word0(), 13) : saddr == kSaddrOff) {
    if (!d.Vgpr(address, VADDR32, out.src[0])) return false;
  }
  return saddr == kSaddrOff || d.ScalarRegister(saddr, U32, out.src[2]);
}

bool FlatAddress(Decoding& d, const OpcodeRow& row) {
  const uint32_t address = Bits(d.word1(), 0, 8);
  const uint32_t saddr = Bits(d.word1(), 16, 7);
  Instruction& out = d.out();
  // Reserved bits before gfx9.
  if (out.encoding == Encoding::kFlat) return saddr == 0 && d.Vgpr(address, VADDR64, out.src[0]);
  if (out.encoding == Encoding::kScratch) return ScratchAddress(d, address, saddr);
  if (saddr == kSaddrOff) return d.Vgpr(address, row.src[0], out.src[0]);
  // GLOBAL adds a 32-bit VGPR to a 64-bit SGPR pair.
  return d.ScalarRegister(saddr, U64, out.src[2]) && d.Vgpr(address, VADDR32, out.src[0]);
}

bool FlatData(Decoding& d, const OpcodeRow& row) {
  const uint32_t destination = Bits(d.word1(), 24, 8);
  const bool loads = row.dst != NONE && (!row.Has(ATOMIC) || d.out().glc);
  if (loads && !d.out().lds && !LoadedVgprs(d, row.dst, destination)) return false;
  return DataIfPresent(d, Bits(d.word1(), 8, 8), row.src[1], d.out().src[1]);
}

}  // namespace

DecodeStatus DecodeFlat(Decoding& d) {
  const uint32_t word0 = d.word0();
  Instruction& out = d.out();
  const bool gfx9 = IsGfx9(d.generation());
  Format format = Format::kFlat;
  Encoding encoding = Encoding::kFlat;
  if (gfx9) {
    switch (Bits(word0, 14, 2)) {
      case 0: break;
      case 1:
        format = Format::kScratch;
        encoding = Encoding::kScratch;
        break;
      case 2:
        format = Format::kGlobal;
        encoding = Encoding::kGlobal;
        break;
      default: return DecodeStatus::kUnknownOpcode;
    }
  }
  const OpcodeRow* row = d.SetOpcode(format, Bits(word0, 18, 7), encoding);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  out.glc = Bit(word0, 16);
  out.slc = Bit(word0, 17);
  out.scc = Has(d.generation(), kSccBit) && Bit(word0, 25);
  if (!CacheBitsAreDefined(d.generation(), *row, out.glc, out.scc))
    return DecodeStatus::kBadOperand;
  if (gfx9) {
    // FLAT ignores the sign bit: its 12-bit offset is unsigned (Vega manual, FLAT "OFFSET").
    out.offset = encoding == Encoding::kFlat ? static_cast<int32_t>(Bits(word0, 0, 12))
                                             : SignExtend(Bits(word0, 0, 13), 13);
    out.has_offset = true;
    out.nv = !Has(d.generation(), kSccBit) && Bit(d.word1(), 23);
    const bool has_own_loads = Has(d.generation(), kGfx942Isa);
    out.lds = has_own_loads ? IsLoadToLds(*row) : Bit(word0, 13);
    if (Bit(word0, 13) && !LdsBitIsDefined(d.generation(), *row, encoding))
      return DecodeStatus::kBadOperand;
    if (out.lds && Bit(d.word1(), 23)) return DecodeStatus::kBadOperand;
  } else {
    out.tfe = Bit(d.word1(), 23);
    // No offset before gfx9: the bits are reserved (LLVM prints one that its assembler refuses).
    if (Bits(word0, 0, 16) != 0) return DecodeStatus::kBadOperand;
  }
  return Status(FlatAddress(d, *row) && FlatData(d, *row));
}

DecodeStatus DecodeMimg(Decoding& d) {
  const uint32_t word0 = d.word0();
  const uint32_t word1 = d.word1();
  const OpcodeRow* row = d.SetOpcode(Format::kMimg, Bits(word0, 18, 7), Encoding::kMimg);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  out.imm = static_cast<int32_t>(Bits(word0, 8, 4));
  out.unorm = Bit(word0, 12);
  out.glc = Bit(word0, 13);
  out.da = Bit(word0, 14);
  out.r128 = Bit(word0, 15);
  out.tfe = Bit(word0, 16);
  out.lwe = Bit(word0, 17);
  out.slc = Bit(word0, 25);
  out.d16 = IsGfx8Plus(d.generation()) && Bit(word1, 31);
  const ImageForm form = ImageFormOf(*row);
  if (Bit(word0, 0) || (out.d16 && !form.HasD16())) return DecodeStatus::kBadOperand;
  if (!form.HasSampler() && Bits(word1, 21, 5) != 0) return DecodeStatus::kBadOperand;
  // A tuple may reach past the last VGPR, as LLVM takes it: no wave has the registers.
  const uint32_t data = Bits(word1, 8, 8);
  const int least = form.kind == ImageKind::kGather ? 4 : 1;
  const bool stores = form.kind == ImageKind::kStore || form.kind == ImageKind::kAtomic;
  const auto registers = static_cast<uint8_t>(ImageDataRegisters(form, out, d.generation()));
  if (stores) {
    out.stored_vgprs = registers;
    if (!d.Vgpr(data, B32, out.src[1], least)) return DecodeStatus::kBadOperand;
  }
  if (!stores || (form.kind == ImageKind::kAtomic && out.glc)) {
    out.loaded_vgprs = form.has_pair ? static_cast<uint8_t>((registers + 1) / 2) : registers;
    if (!d.Vgpr(data, B32, out.dst, least)) return DecodeStatus::kBadOperand;
  }
  return Status(d.Vgpr(Bits(word1, 0, 8), B32, out.src[0], LeastImageAddressRegisters(form)) &&
                d.ScalarRegister(Bits(word1, 16, 5) * 4, B256, out.src[2]) &&
                (!form.HasSampler() || d.ScalarRegister(Bits(word1, 21, 5) * 4, B128, out.src[3])));
}

DecodeStatus DecodeExp(Decoding& d) {
  const uint32_t word0 = d.word0();
  if (d.SetOpcode(Format::kExp, 0, Encoding::kExp) == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  out.enable = static_cast<uint8_t>(Bits(word0, 0, 4));
  out.imm = static_cast<int32_t>(Bits(word0, 4, 6));
  out.compressed = Bit(word0, 10);
  out.done = Bit(word0, 11);
  out.valid_mask = Bit(word0, 12);
  for (int i = 0; i < 4; ++i) {
    if (!d.Vgpr(Bits(d.word1(), 8 * i, 8), B32, out.src[i])) return DecodeStatus::kBadOperand;
  }
  return DecodeStatus::kOk;
}

}  // namespace gcnjit::frontend::decoder_internal
