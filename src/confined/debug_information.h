// The DWARF of a code object, read by elfutils' libdw. Only for a confined process: libdw trusts
// what it reads more than we do.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "confined/frames.h"
#include "gcnjit/source.h"

namespace gcnjit::confined {

class DebugInformation {
 public:
  // `object`: the ELF file, which must stay.
  explicit DebugInformation(std::string& object);
  ~DebugInformation();
  DebugInformation(const DebugInformation&) = delete;
  DebugInformation& operator=(const DebugInformation&) = delete;

  // Of an address in the code object's own address space.
  SourceFrames FramesAt(uint64_t address);

 private:
  // Code of a function, or of a call that was inlined: [begin, end).
  struct Scope {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t depth = 0;  // of calls
    uint32_t function = 0;
  };
  struct Function {
    Dwarf_Die unit = {};
    std::string name;
    std::string call_file;  // where it was inlined
    uint32_t call_line = 0;
  };

  void AddUnit(Dwarf_Die& unit);
  void AddChildren(Dwarf_Die& parent, Dwarf_Die& unit, uint32_t depth, uint32_t nesting);
  void AddFunction(Dwarf_Die& die, Dwarf_Die& unit, uint32_t depth);
  SourceFrame LineAt(Dwarf_Die& unit, uint64_t address);

  Elf* elf_ = nullptr;
  Dwarf* dwarf_ = nullptr;
  std::vector<Dwarf_Die> units_;
  std::vector<Function> functions_;
  std::vector<Scope> scopes_;
};

}  // namespace gcnjit::confined
