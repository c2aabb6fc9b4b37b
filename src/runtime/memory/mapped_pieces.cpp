#include "runtime/memory/mapped_pieces.h"

#include <iterator>

namespace gcnjit::runtime {
namespace {

bool Has(const MappedPiece& piece, uint8_t access) { return (piece.access & access) == access; }

}  // namespace

const MappedPiece* MappedPieces::Find(uint64_t address) const {
  const auto above = pieces_.upper_bound(address);
  if (above == pieces_.begin()) return nullptr;
  const MappedPiece& piece = std::prev(above)->second;
  return address < piece.end() ? &piece : nullptr;
}

bool MappedPieces::Overlaps(uint64_t begin, uint64_t bytes) const {
  if (Find(begin) != nullptr) return true;
  const auto above = pieces_.upper_bound(begin);
  return above != pieces_.end() && above->first - begin < bytes;
}

bool MappedPieces::Cover(uint64_t begin, uint64_t bytes, uint8_t access) const {
  const MappedPiece* piece = Find(begin);
  while (piece != nullptr && Has(*piece, access)) {
    const uint64_t covered = piece->end() - begin;
    if (bytes <= covered) return true;
    begin += covered;
    bytes -= covered;
    piece = Find(begin);
  }
  return false;
}

MappedPieces::Range MappedPieces::Around(uint64_t address, uint8_t access) const {
  const MappedPiece* const piece = Find(address);
  if (piece == nullptr || !Has(*piece, access)) return {};
  Range range = {piece->begin, piece->end()};
  const auto here = pieces_.find(piece->begin);
  for (auto next = std::next(here);
       next != pieces_.end() && next->first == range.end && Has(next->second, access); ++next) {
    range.end = next->second.end();
  }
  for (auto before = here; before != pieces_.begin();) {
    --before;
    if (before->second.end() != range.begin || !Has(before->second, access)) break;
    range.begin = before->first;
  }
  return range;
}

}  // namespace gcnjit::runtime
