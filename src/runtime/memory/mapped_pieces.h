// What is mapped into reserved addresses of guest memory, piece by piece. The pieces do not
// overlap. Neighbours count as one where they are alike.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "runtime/memory/shared_pages.h"

namespace gcnjit::runtime {

// Accesses that are allowed: bits.
struct PieceAccess {
  static constexpr uint8_t kGuestReads = 1;
  static constexpr uint8_t kGuestWrites = 2;
  static constexpr uint8_t kHostReads = 4;
  static constexpr uint8_t kHostWrites = 8;
};

struct MappedPiece {
  uint64_t begin = 0;
  uint64_t bytes = 0;  // whole pages
  std::shared_ptr<const SharedPages> pages;
  uint64_t offset = 0;  // in the pages
  uint8_t access = 0;   // of PieceAccess
  int protection = 0;   // of the host's mapping, which only grows
  uint64_t end() const { return begin + bytes; }
};

class MappedPieces {
 public:
  void Add(MappedPiece piece) {
    const uint64_t begin = piece.begin;
    pieces_.emplace(begin, std::move(piece));
  }
  void Remove(uint64_t begin) { pieces_.erase(begin); }
  size_t size() const { return pieces_.size(); }

  // The piece that holds the address; null: none.
  const MappedPiece* Find(uint64_t address) const;
  MappedPiece* At(uint64_t begin) {
    const auto found = pieces_.find(begin);
    return found == pieces_.end() ? nullptr : &found->second;
  }
  bool Overlaps(uint64_t begin, uint64_t bytes) const;
  // Do pieces with this access hold all of the bytes?
  bool Cover(uint64_t begin, uint64_t bytes, uint8_t access) const;

  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  // Addresses around `address` that pieces with this access hold without a gap; empty: it is none.
  Range Around(uint64_t address, uint8_t access) const;

 private:
  std::map<uint64_t, MappedPiece> pieces_;  // by address
};

}  // namespace gcnjit::runtime
