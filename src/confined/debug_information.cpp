#include "confined/debug_information.h"

#include <dwarf.h>
#include <libelf.h>

#include <algorithm>
#include <span>

#include "confined/debug_relocations.h"

namespace gcnjit::confined {
namespace {

constexpr uint32_t kMostNesting = 256;  // of entries in entries

std::string TextOf(const char* text) { return text == nullptr ? std::string() : text; }

uint64_t NumberOf(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (::dwarf_attr(&die, name, &attribute) == nullptr) return 0;
  return ::dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

// The name of a function, which may be at the entry that this one is an instance of.
std::string NameOf(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  return TextOf(::dwarf_formstring(::dwarf_attr_integrate(&die, DW_AT_name, &attribute)));
}

}  // namespace

DebugInformation::DebugInformation(std::string& object) {
  ::elf_version(EV_CURRENT);
  elf_ = ::elf_memory(object.data(), object.size());
  RelocateDebugSections(std::as_bytes(std::span(object)), elf_);
  dwarf_ = ::dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
  if (dwarf_ == nullptr) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (::dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) AddUnit(die);
}

DebugInformation::~DebugInformation() {
  if (dwarf_ != nullptr) ::dwarf_end(dwarf_);
  if (elf_ != nullptr) ::elf_end(elf_);
}

void DebugInformation::AddUnit(Dwarf_Die& unit) {
  units_.push_back(unit);
  AddChildren(unit, unit, 0, 0);
}

void DebugInformation::AddChildren(Dwarf_Die& parent, Dwarf_Die& unit, uint32_t depth,
                                   uint32_t nesting) {
  Dwarf_Die child;
  if (nesting > kMostNesting || ::dwarf_child(&parent, &child) != 0) return;
  do {
    switch (::dwarf_tag(&child)) {
      case DW_TAG_subprogram:
      case DW_TAG_inlined_subroutine:
        AddFunction(child, unit, depth);
        AddChildren(child, unit, depth + 1, nesting + 1);
        break;
      case DW_TAG_lexical_block:
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type: AddChildren(child, unit, depth, nesting + 1); break;
      default: break;
    }
  } while (::dwarf_siblingof(&child, &child) == 0);
}

void DebugInformation::AddFunction(Dwarf_Die& die, Dwarf_Die& unit, uint32_t depth) {
  const size_t first = scopes_.size();
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (ptrdiff_t at = 0; (at = ::dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
    scopes_.push_back({begin, end, depth, static_cast<uint32_t>(functions_.size())});
  }
  if (scopes_.size() == first) return;  // it has no code
  Function& function = functions_.emplace_back();
  function.unit = unit;
  function.name = NameOf(die);
  function.call_line = static_cast<uint32_t>(NumberOf(die, DW_AT_call_line));
  Dwarf_Files* files = nullptr;
  const uint64_t file = NumberOf(die, DW_AT_call_file);
  if (function.call_line != 0 && ::dwarf_getsrcfiles(&unit, &files, nullptr) == 0) {
    function.call_file = TextOf(::dwarf_filesrc(files, file, nullptr, nullptr));
  }
}

SourceFrame DebugInformation::LineAt(Dwarf_Die& unit, uint64_t address) {
  SourceFrame frame;
  Dwarf_Line* const line = ::dwarf_getsrc_die(&unit, address);
  if (line == nullptr) return frame;
  int number = 0;
  if (::dwarf_lineno(line, &number) == 0) frame.line = static_cast<uint32_t>(number);
  frame.file = TextOf(::dwarf_linesrc(line, nullptr, nullptr));
  return frame;
}

SourceFrames DebugInformation::FramesAt(uint64_t address) {
  std::vector<const Scope*> here;
  for (const Scope& scope : scopes_) {
    if (address >= scope.begin && address < scope.end) here.push_back(&scope);
  }
  std::ranges::stable_sort(here, std::ranges::greater(), &Scope::depth);
  SourceFrames frames;
  if (here.empty()) {
    for (Dwarf_Die& unit : units_) {
      SourceFrame frame = LineAt(unit, address);
      if (frame.file.empty()) continue;
      frames.push_back(std::move(frame));
      break;
    }
    return frames;
  }
  SourceFrame frame = LineAt(functions_[here.front()->function].unit, address);
  for (const Scope* const scope : here) {
    Function& function = functions_[scope->function];
    if (frame.file.empty() || frames.size() == kMostFrames) break;
    frame.function = function.name;
    frames.push_back(frame);
    frame = {function.call_file, function.call_line, {}};
  }
  return frames;
}

}  // namespace gcnjit::confined
