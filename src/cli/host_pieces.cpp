#include "cli/host_pieces.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "ir/function.h"

namespace gcnjit::cli {
namespace {

// "guest 3 0x1234  ; ...": the address.
std::optional<uint64_t> GuestOf(std::string_view line) {
  constexpr std::string_view kBegin = "guest ";
  if (!line.starts_with(kBegin)) return std::nullopt;
  const size_t hex = line.find(" 0x", kBegin.size());
  if (hex == std::string_view::npos) return std::nullopt;
  uint64_t address = 0;
  const char* const first = line.data() + hex + 3;
  const auto [end, error] = std::from_chars(first, line.data() + line.size(), address, 16);
  if (error != std::errc() || end == first) return std::nullopt;
  return ir::WithoutWave(address);
}

// Of one instruction.
struct Piece {
  std::string text;
  size_t lines = 0;
  bool is_new = false;  // what comes next is the code of another version

  void Add(std::string_view line) {
    if (lines > kMostHostLines) return;
    if (is_new && lines != 0) text += '\n';
    is_new = false;
    text += ++lines > kMostHostLines ? "..." : line;
    text += '\n';
  }
};

}  // namespace

std::map<uint64_t, std::string> HostPieces(std::string_view listing) {
  std::map<uint64_t, Piece> pieces;
  Piece* piece = nullptr;  // null: what follows is of no guest instruction
  while (!listing.empty()) {
    const size_t end = std::min(listing.find('\n'), listing.size());
    const std::string_view line = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    if (line == "out of line") break;
    if (const auto pc = GuestOf(line)) {
      piece = &pieces[*pc];
      piece->is_new = true;
    } else if (!line.starts_with(' ')) {
      piece = nullptr;
    }
    // Host instructions stand farther to the right than labels, and these than operations of IR.
    constexpr std::string_view kLabel = "      ";
    if (piece != nullptr && line.starts_with(kLabel)) piece->Add(line.substr(kLabel.size()));
  }
  std::map<uint64_t, std::string> texts;
  for (auto& [pc, of] : pieces) texts.emplace(pc, std::move(of.text));
  return texts;
}

}  // namespace gcnjit::cli
