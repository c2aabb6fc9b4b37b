// What image instructions do, as their mnemonics tell, and how many registers they take. One place
// for decoder, disassembler, data flow and execution.
//
// Sources: CLRX GcnInstrsMimg, GcnMemHandling ("Image addressing"); LLVM MIMGInstructions.td,
// SIISelLowering (lowerImage: operands, D16, TFE and LWE; packImage16bitOpsToDwords: A16); RDNA ISA
// "MIMG" (A16: what is a half, and that offsets and compared values are none).
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace gcnjit::frontend {

enum class ImageKind : uint8_t {
  kLoad,
  kStore,
  kAtomic,
  kResourceInfo,
  kLodQuery,
  kSample,
  kGather
};

enum class ImageLod : uint8_t {
  kImplicit,  // by how coordinates differ between lanes, or by derivatives
  kGiven,     // _L: an address register
  kZero,      // _LZ
};

// The address is { offset } { bias } { compare } { derivatives } coordinates { clamp or level }.
struct ImageForm {
  ImageKind kind = ImageKind::kLoad;
  ImageLod lod = ImageLod::kImplicit;
  bool is_packed = false;        // _PCK: bits without conversion
  bool has_level = false;        // _MIP: an integer level after the coordinates
  bool has_offset = false;       // _O
  bool has_bias = false;         // _B
  bool compares = false;         // _C
  bool has_derivatives = false;  // _D, _CD
  bool has_clamp = false;        // _CL
  bool has_pair = false;         // cmpswap: the data are a new and a compared value

  bool HasSampler() const {
    return kind == ImageKind::kSample || kind == ImageKind::kGather || kind == ImageKind::kLodQuery;
  }
  bool HasD16() const {
    return !is_packed && (kind == ImageKind::kLoad || kind == ImageKind::kStore ||
                          kind == ImageKind::kSample || kind == ImageKind::kGather);
  }
};

ImageForm ImageFormOf(const OpcodeRow& row);

// Address registers: `coordinates` say where, the first `axes` of them have derivatives. `halves`
// (A16): derivatives, coordinates and what comes after them are halves, two a register. Of the
// derivatives those along x begin a register, those along y, and the coordinates.
int ImageAddressRegisters(const ImageForm& form, int coordinates, int axes, bool halves);
// Of these the derivatives.
int ImageDerivativeRegisters(const ImageForm& form, int axes, bool halves);
// The image's dimensions are its resource's, so words tell only how many there can be.
inline constexpr int kMostImageCoordinates = 3;
// The least: one coordinate, halves (A16).
int LeastImageAddressRegisters(const ImageForm& form);

// Registers of data by DMASK and D16, without the status that TFE and LWE append.
int ImageDataRegisters(const ImageForm& form, const Instruction& instruction,
                       Generation generation);

}  // namespace gcnjit::frontend
