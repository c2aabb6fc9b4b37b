// What stands between the host instructions of a region's listing: the blocks, their stages, guest
// instructions, and the IR operations that code was emitted for. All of it goes through asmjit's
// logger, which writes the host instructions themselves. Or, for profiles, where the code of each
// guest instruction begins.
#pragma once

#include <asmjit/x86.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backend_x64/host/pc_map.h"
#include "ir/function.h"
#include "ir/printer.h"

namespace gcnjit::backend {

class Listing {
 public:
  // `cold`: the region's out-of-line code so far, to tell later whose each piece is.
  // `text`: there is a logger. `spans`, if not null, gets what begins where.
  Listing(asmjit::x86::Assembler& a, const std::vector<std::function<void()>>& cold,
          ir::GuestComment comment, bool text, std::vector<GuestSpan>* spans)
      : a_(a), cold_(cold), comment_(std::move(comment)), text_(text), spans_(spans) {}

  // The function must live as long as operations of its only block are named.
  void Block(const ir::Function& function);
  // What is emitted from here on belongs to an operation of the block, or to none.
  void Op(ir::Value v);
  void Heading(std::string_view text);
  // What is emitted from here on is the region's, of no block.
  void Common(std::string_view text);
  void Stage(size_t number);
  void Lanes(int slices, int lanes);
  // For profiles: code at that offset, after all other code, is of a block's guest instruction.
  void Function(uint32_t begin, uint64_t block, uint64_t pc);
  // The n-th piece of out-of-line code begins.
  void Cold(size_t n);

 private:
  void Line(std::string_view text) { a_.comment(text.data(), text.size()); }
  void OpText(ir::Value v, int guest);
  // What is emitted from here on is the block's, for the guest instruction at `pc` or for none.
  void Owner(uint64_t pc, std::string text);
  void Note(uint64_t block, uint64_t pc);

  struct ColdOwner {
    size_t first = 0;  // piece of out-of-line code
    std::string text;
    uint64_t block = 0;
    uint64_t pc = 0;
  };

  asmjit::x86::Assembler& a_;
  const std::vector<std::function<void()>>& cold_;
  const ir::GuestComment comment_;
  const bool text_;
  std::vector<GuestSpan>* const spans_;
  const ir::Function* function_ = nullptr;
  uint64_t block_ = 0;  // the address of its block
  std::string name_;    // likewise, what the block is called
  int guest_ = -1;      // what the last guest line named
  std::vector<ColdOwner> owners_;
};

// The logger, and the text. Host instructions stand farther to the right than the lines above.
class ListingText : public asmjit::Logger {
 public:
  ListingText();
  // Throws std::bad_alloc if the host had no memory for some of it.
  std::string Take();

 private:
  asmjit::Error _log(const char* text, size_t size) noexcept override;

  std::string text_;
  bool is_whole_ = true;
};

}  // namespace gcnjit::backend
