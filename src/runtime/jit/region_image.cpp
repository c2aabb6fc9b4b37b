#include "runtime/jit/region_image.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "runtime/disk_cache/byte_stream.h"

namespace gcnjit::runtime {
namespace {

using backend::CompiledRegion;
using backend::ExecSource;
using backend::GuardedCode;
using backend::MemorySite;

// ---- Guest addresses: dwords from the begin of the code.

class Addresses {
 public:
  explicit Addresses(CodeMap::CodeRange range) : range_(range) {}

  bool Has(uint64_t pc) const {
    return pc >= range_.begin && pc < range_.end && (pc - range_.begin) / 4 <= UINT32_MAX;
  }
  void Put(ByteWriter& to, uint64_t pc) const {
    to.Put(static_cast<uint32_t>((pc - range_.begin) / 4));
  }
  uint64_t Take(ByteReader& from) const {
    const uint64_t pc = range_.begin + uint64_t{from.Take<uint32_t>()} * 4;
    if (pc >= range_.end) from.Fail();
    return pc;
  }

 private:
  const CodeMap::CodeRange range_;
};

// ---- The code that a region was made from

void PutSource(ByteWriter& to, const frontend::SourceCode& source, const Addresses& addresses) {
  to.Put(static_cast<uint32_t>(source.instructions.size()));
  for (const frontend::SourceCode::Place& at : source.instructions) {
    addresses.Put(to, at.pc);
    to.Put(static_cast<uint8_t>(at.dwords));
  }
  to.PutBytes(std::as_bytes(std::span(source.words)));
}

// Fails if it is not, word for word, what is in memory.
frontend::SourceCode TakeSource(ByteReader& from, const Addresses& addresses, const CodeMap& code) {
  frontend::SourceCode source;
  const uint32_t instructions = from.TakeCount(sizeof(uint32_t) + 1);
  source.instructions.reserve(instructions);
  size_t words = 0;
  for (uint32_t n = 0; n < instructions; ++n) {
    const uint64_t pc = addresses.Take(from);
    source.instructions.push_back({pc, from.Take<uint8_t>()});
    words += source.instructions.back().dwords;
  }
  const std::span<const std::byte> bytes = from.TakeBytes(words * sizeof(uint32_t));
  if (!from.ok()) return source;
  source.words.resize(words);
  if (words != 0) std::memcpy(source.words.data(), bytes.data(), bytes.size());
  std::span<const uint32_t> left = source.words;
  for (const frontend::SourceCode::Place& at : source.instructions) {
    const std::span<const uint32_t> here = code.WordsAt(at.pc);
    if (here.size() < at.dwords ||
        !std::ranges::equal(here.first(at.dwords), left.first(at.dwords))) {
      from.Fail();
      break;
    }
    left = left.subspan(at.dwords);
  }
  return source;
}

// ---- Registers

template <size_t kBits>
void PutBits(ByteWriter& to, const std::bitset<kBits>& bits) {
  constexpr std::bitset<kBits> kWord(~uint64_t{0});
  for (size_t n = 0; n < kBits; n += 64) to.Put(uint64_t{((bits >> n) & kWord).to_ullong()});
}
template <size_t kBits>
void TakeBits(ByteReader& from, std::bitset<kBits>& bits) {
  for (size_t n = 0; n < kBits; n += 64) bits |= std::bitset<kBits>(from.Take<uint64_t>()) << n;
}

// ---- Statistics

void PutLifted(ByteWriter& to, const frontend::LiftStatistics& lifted) {
  to.Put(lifted.lifted);
  to.Put(static_cast<uint32_t>(lifted.interpreted.size()));
  for (const auto& [opcode, of] : lifted.interpreted) {
    to.Put(static_cast<uint32_t>(opcode));
    to.Put(of.count);
    to.Put(static_cast<uint32_t>(of.reason.size()));
    to.PutBytes(std::as_bytes(std::span(of.reason)));
  }
}
frontend::LiftStatistics TakeLifted(ByteReader& from) {
  frontend::LiftStatistics lifted;
  lifted.lifted = from.Take<uint32_t>();
  for (uint32_t left = from.TakeCount(3 * sizeof(uint32_t)); left != 0; --left) {
    const auto opcode = from.Take<uint32_t>();
    if (opcode >= static_cast<uint32_t>(frontend::kOpcodeCount)) {
      from.Fail();
      break;
    }
    auto& of = lifted.interpreted[static_cast<frontend::Opcode>(opcode)];
    of.count = from.Take<uint32_t>();
    const auto reason = from.TakeBytes(from.Take<uint32_t>());
    of.reason.assign(reinterpret_cast<const char*>(reason.data()), reason.size());
  }
  return lifted;
}

// ---- Sets of registers

constexpr size_t kBitsOfWord = 64;

void PutSgprs(ByteWriter& to, const std::bitset<ir::kSgprs>& sgprs) {
  const std::bitset<ir::kSgprs> word(~uint64_t{0});
  for (size_t n = 0; n < ir::kSgprs; n += kBitsOfWord) {
    to.Put(static_cast<uint64_t>((sgprs >> n & word).to_ullong()));
  }
}
std::bitset<ir::kSgprs> TakeSgprs(ByteReader& from) {
  std::bitset<ir::kSgprs> sgprs;
  for (size_t n = 0; n < ir::kSgprs; n += kBitsOfWord) {
    sgprs |= std::bitset<ir::kSgprs>(from.Take<uint64_t>()) << n;
  }
  return sgprs;
}

// ---- Shapes: with the patterns that the blocks' begins refer to, numbered anew.

void PutShapes(ByteWriter& to, const ir::RegionShapes& shapes) {
  std::map<uint32_t, uint32_t> number_of = {{ir::LanePatterns::kUniform, 0}};
  std::vector<uint32_t> patterns;
  for (const auto& entries : shapes.at_begin) {
    for (const ir::RegionShapes::Entry& entry : entries) {
      const auto number = static_cast<uint32_t>(number_of.size());
      if (number_of.try_emplace(entry.shape.offsets, number).second) {
        patterns.push_back(entry.shape.offsets);
      }
    }
  }
  to.Put(static_cast<uint32_t>(patterns.size()));
  for (const uint32_t pattern : patterns) {
    to.PutBytes(std::as_bytes(std::span(shapes.patterns[pattern].offsets)));
  }
  for (const auto& entries : shapes.at_begin) {
    to.Put(static_cast<uint32_t>(entries.size()));
    for (const ir::RegionShapes::Entry& entry : entries) {
      to.Put(entry.vgpr);
      to.Put(entry.shape.run);
      to.Put(entry.shape.zeros);
      to.Put(number_of.at(entry.shape.offsets));
    }
  }
  for (const auto& ones : shapes.ones_at_begin) PutSgprs(to, ones);
  for (const auto& apart : shapes.apart_at_begin) PutSgprs(to, apart);
  for (const auto& constants : shapes.constants_at_begin) {
    to.Put(static_cast<uint32_t>(constants.size()));
    for (const ir::RegisterConstant& constant : constants) {
      to.Put(constant.number);
      to.Put(constant.value);
    }
  }
}
std::unique_ptr<ir::RegionShapes> TakeShapes(ByteReader& from, size_t blocks) {
  auto shapes = std::make_unique<ir::RegionShapes>();
  ir::LanePatterns::Offsets offsets;
  const uint32_t patterns = from.TakeCount(sizeof offsets);
  for (uint32_t n = 0; n < patterns; ++n) {
    const auto bytes = from.TakeBytes(sizeof offsets);
    if (bytes.empty()) break;
    std::memcpy(offsets.data(), bytes.data(), sizeof offsets);
    if (shapes->patterns.Intern(offsets) != n + 1) from.Fail();
  }
  shapes->at_begin.resize(blocks);
  for (auto& entries : shapes->at_begin) {
    entries.resize(from.TakeCount(4 + sizeof(uint32_t)));
    for (ir::RegionShapes::Entry& entry : entries) {
      entry.vgpr = from.Take<uint16_t>();
      entry.shape.run = from.Take<uint8_t>();
      entry.shape.zeros = from.Take<uint8_t>();
      entry.shape.offsets = from.Take<uint32_t>();
      const bool is_run = std::has_single_bit(entry.shape.run) && entry.shape.run <= ir::kLanes;
      if (!is_run || entry.shape.offsets > patterns) from.Fail();
    }
  }
  for (size_t n = 0; n < blocks; ++n) shapes->ones_at_begin.push_back(TakeSgprs(from));
  for (size_t n = 0; n < blocks; ++n) shapes->apart_at_begin.push_back(TakeSgprs(from));
  shapes->constants_at_begin.resize(blocks);
  for (auto& constants : shapes->constants_at_begin) {
    constants.resize(from.TakeCount(sizeof(uint16_t) + sizeof(uint32_t)));
    for (ir::RegisterConstant& constant : constants) {
      constant.number = from.Take<uint16_t>();
      constant.value = from.Take<uint32_t>();
      if (constant.number >= ir::kRegisters) from.Fail();
    }
  }
  return shapes;
}

// ---- Memory accesses

void PutSite(ByteWriter& to, const MemorySite& site, const Addresses& addresses) {
  addresses.Put(to, site.pc);
  to.Put(site.place.wave);
  to.Put(site.access.Pack());
  to.Put(static_cast<uint8_t>(site.is_store | site.is_atomic << 1 | site.is_lds << 2 |
                              site.is_before_store << 3 | site.is_swizzled << 4));
  to.Put(site.place.order);
  to.Put(site.imm);
  to.Put(static_cast<uint8_t>(site.exec.kind));
  to.Put(site.exec.number);
  to.Put(site.exec.constant);
  to.Put(site.place.block_instructions);
  to.Put(site.place.position);
  to.Put(site.place.loop_iterations);
  to.Put(site.scalar.dword);
  to.Put(site.scalar.bytes);
}
constexpr size_t kSiteBytes = 11 * sizeof(uint32_t) + sizeof(uint64_t) + 2;

bool IsExecSource(const ExecSource& exec, size_t slots) {
  constexpr uint32_t kLastPair = 126;
  switch (exec.kind) {
    case ExecSource::Kind::kState:
    case ExecSource::Kind::kConstant: return true;
    case ExecSource::Kind::kSgprs: return exec.number <= kLastPair;
    case ExecSource::Kind::kSlot: return exec.number < slots;
  }
  return false;
}

MemorySite TakeSite(ByteReader& from, uint32_t index, size_t slots, const Addresses& addresses) {
  MemorySite site;
  site.index = index;
  site.pc = addresses.Take(from);
  site.place.wave = from.Take<uint32_t>();
  site.access = ir::MemoryAccess::Unpack(from.Take<uint32_t>());
  const auto flags = from.Take<uint8_t>();
  site.is_store = (flags & 1) != 0;
  site.is_atomic = (flags & 2) != 0;
  site.is_lds = (flags & 4) != 0;
  site.is_before_store = (flags & 8) != 0;
  site.is_swizzled = (flags & 16) != 0;
  site.place.order = from.Take<uint32_t>();
  site.imm = from.Take<int32_t>();
  site.exec.kind = static_cast<ExecSource::Kind>(from.Take<uint8_t>());
  site.exec.number = from.Take<uint32_t>();
  site.exec.constant = from.Take<uint64_t>();
  site.place.block_instructions = from.Take<uint32_t>();
  site.place.position = from.Take<uint32_t>();
  site.place.loop_iterations = from.Take<uint32_t>();
  site.scalar.dword = from.Take<uint32_t>();
  site.scalar.bytes = from.Take<uint32_t>();
  constexpr size_t kScalarBytes = sizeof backend::AccessTransfer::scalar_data;
  if (site.place.wave >= kMostWavesTogether) from.Fail();
  if (site.scalar.dword >= kScalarBytes / 4 || site.scalar.bytes > kScalarBytes) from.Fail();
  if (site.access.bytes > 16 || !IsExecSource(site.exec, slots)) from.Fail();
  return site;
}

void PutGuarded(ByteWriter& to, const GuardedCode& guarded) {
  to.Put(guarded.begin);
  to.Put(guarded.end);
  to.Put(guarded.resume);
  to.Put(guarded.site);
}
GuardedCode TakeGuarded(ByteReader& from, const CompiledRegion& region, size_t code_bytes) {
  GuardedCode guarded;
  guarded.begin = from.Take<uint32_t>();
  guarded.end = from.Take<uint32_t>();
  guarded.resume = from.Take<uint32_t>();
  guarded.site = from.Take<uint32_t>();
  const bool is_site = guarded.site == GuardedCode::kRoutine || guarded.site < region.sites.size();
  const bool is_ascending = region.guarded.empty() || guarded.begin >= region.guarded.back().begin;
  if (!is_site || !is_ascending || guarded.begin > guarded.end || guarded.end > code_bytes ||
      guarded.resume >= code_bytes) {
    from.Fail();
  }
  return guarded;
}

// ---- Code

// Temporary storage and slots of a region stay below these, many times over.
constexpr uint64_t kMaxTempBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxSlots = 1 << 20;
// Instead of an offset from the code's begin.
constexpr uint32_t kNowhere = ~0u;

void PutCode(ByteWriter& to, const TranslatedRegion& translated, const Addresses& addresses) {
  const CompiledRegion& region = *translated.code;
  to.Put(static_cast<uint32_t>(region.code_bytes));
  to.PutBytes({region.code, region.code_bytes});
  const auto offset = [&region](const std::byte* at) {
    return at == nullptr ? kNowhere : static_cast<uint32_t>(at - region.code);
  };
  to.Put(offset(region.follow));
  to.Put(offset(region.group.begin));
  to.Put(static_cast<uint8_t>(region.group.wants_zeroed_lds | region.group.is_one_block << 1));
  to.Put(region.group.row_instructions);
  to.Put(static_cast<uint32_t>(translated.blocks.size()));
  for (const uint64_t pc : translated.blocks) {
    addresses.Put(to, pc);
    const auto entry = region.entries.find(pc);
    to.Put(offset(entry == region.entries.end() ? nullptr : entry->second));
  }
  PutShapes(to, *translated.shapes);
  to.Put(uint64_t{region.temp_bytes});
  to.Put(uint64_t{region.slot_count});
  PutBits(to, region.writes.vgprs);
  PutBits(to, region.writes.sgprs);
  PutBits(to, region.group.writes.vgprs);
  PutBits(to, region.group.writes.sgprs);
  PutBits(to, region.group.reads.vgprs);
  PutBits(to, region.group.reads.sgprs);
  to.Put(static_cast<uint32_t>(region.sites.size()));
  for (const MemorySite& site : region.sites) PutSite(to, site, addresses);
  to.Put(static_cast<uint32_t>(region.guarded.size()));
  for (const GuardedCode& guarded : region.guarded) PutGuarded(to, guarded);
}

void TakeCode(ByteReader& from, TranslatedRegion& translated, const Addresses& addresses,
              CodeMap::CodeRange range) {
  auto region = std::make_unique<CompiledRegion>();
  region->code_base = range.begin;
  const std::span<const std::byte> code = from.TakeBytes(from.Take<uint32_t>());
  const auto follow = from.Take<uint32_t>();
  const auto group = from.Take<uint32_t>();
  const auto of_group = from.Take<uint8_t>();
  region->group.wants_zeroed_lds = (of_group & 1) != 0;
  region->group.is_one_block = (of_group & 2) != 0;
  region->group.row_instructions = from.Take<uint32_t>();
  const auto is_place = [&code](uint32_t at) { return at == kNowhere || at < code.size(); };
  if (!is_place(follow) || !is_place(group)) from.Fail();
  std::vector<uint32_t> offsets;
  for (uint32_t left = from.TakeCount(2 * sizeof(uint32_t)); left != 0; --left) {
    translated.blocks.push_back(addresses.Take(from));
    offsets.push_back(from.Take<uint32_t>());
    if (!is_place(offsets.back())) from.Fail();
  }
  translated.shapes = TakeShapes(from, translated.blocks.size());
  region->temp_bytes = from.Take<uint64_t>();
  region->slot_count = from.Take<uint64_t>();
  TakeBits(from, region->writes.vgprs);
  TakeBits(from, region->writes.sgprs);
  TakeBits(from, region->group.writes.vgprs);
  TakeBits(from, region->group.writes.sgprs);
  TakeBits(from, region->group.reads.vgprs);
  TakeBits(from, region->group.reads.sgprs);
  if (region->temp_bytes > kMaxTempBytes || region->slot_count > kMaxSlots) from.Fail();
  const uint32_t sites = from.TakeCount(kSiteBytes);
  region->sites.reserve(sites);
  for (uint32_t n = 0; n < sites; ++n) {
    region->sites.push_back(TakeSite(from, n, region->slot_count, addresses));
  }
  const uint32_t guarded = from.TakeCount(4 * sizeof(uint32_t));
  region->guarded.reserve(guarded);
  for (uint32_t n = 0; n < guarded; ++n) {
    region->guarded.push_back(TakeGuarded(from, *region, code.size()));
  }
  if (!from.IsDone() || code.empty()) return from.Fail();
  std::string error;
  if (!region->Place(code, &error)) return from.Fail();
  if (follow != kNowhere) region->follow = region->code + follow;
  if (group != kNowhere) region->group.begin = region->code + group;
  for (size_t n = 0; n < offsets.size(); ++n) {
    if (offsets[n] == kNowhere) continue;
    region->entries.emplace(translated.blocks[n], region->code + offsets[n]);
  }
  translated.code = std::move(region);
}

}  // namespace

std::optional<std::vector<std::byte>> PackRegion(const TranslatedRegion& region,
                                                 CodeMap::CodeRange range) {
  const Addresses addresses(range);
  const bool is_inside = std::ranges::all_of(region.source.instructions,
                                             [&](const auto& at) { return addresses.Has(at.pc); });
  if (!is_inside) return std::nullopt;
  ByteWriter to;
  PutSource(to, region.source, addresses);
  PutBits(to, region.live.vgprs);
  PutBits(to, region.live.sgprs);
  to.Put(static_cast<uint8_t>(region.live.scc));
  PutLifted(to, region.lifted);
  to.Put(static_cast<uint8_t>(region.code != nullptr));
  if (region.code != nullptr) PutCode(to, region, addresses);
  return to.bytes();
}

std::optional<TranslatedRegion> UnpackRegion(std::span<const std::byte> image, const CodeMap& code,
                                             CodeMap::CodeRange range) {
  const Addresses addresses(range);
  ByteReader from(image);
  TranslatedRegion region;
  region.source = TakeSource(from, addresses, code);
  if (!from.ok()) return std::nullopt;
  TakeBits(from, region.live.vgprs);
  TakeBits(from, region.live.sgprs);
  region.live.scc = from.Take<uint8_t>() != 0;
  region.lifted = TakeLifted(from);
  if (from.Take<uint8_t>() != 0) TakeCode(from, region, addresses, range);
  if (!from.IsDone()) return std::nullopt;
  return region;
}

}  // namespace gcnjit::runtime
