#include "runtime/check/race_check.h"

#include <algorithm>
#include <cstring>

namespace gcnjit::runtime::check {
namespace {

// Numbers of records have 26 bits; whoever needs more runs for hours.
constexpr size_t kMostRecords = size_t{1} << (32 - kLaneBits);
// Of a pair of instructions so many addresses are kept until it is known whether they synchronise.
constexpr size_t kMostExamples = 64;

}  // namespace

void RaceCheck::BeginGroup(uint64_t group, uint32_t waves, uint32_t lds_bytes) {
  group_ = group;
  epoch_ = 0;
  waves_.assign(waves, {});
  lds_.assign(lds_bytes, {});
  newest_.clear();
}

void RaceCheck::Check(const Wave& w, const Access& access, const Site& site) {
  if (access.type == AccessType::kWrite && access.reg >= 0 && !access.is_scalar) {
    CheckLanes(w, access, site);
  }
  const uint32_t record = RecordFor(access, site);
  if (record == 0) return;
  ForEachLane(access.mask, [&](int lane) {
    const AccessId id = MakeAccessId(record, static_cast<uint32_t>(lane));
    for (uint64_t at = access.at[lane]; at < access.at[lane] + access.bytes; ++at) {
      if (access.space == Space::kGlobal) {
        CheckCell(global_.PageOf(at)[at % CellPages::kBytes], id, access);
      } else if (at < lds_.size()) {
        CheckCell(lds_[at], id, access);
      }
    }
    return true;
  });
}

// Several lanes may store to one address, and by rights the order is not defined. What they store
// is usually the same then.
void RaceCheck::CheckLanes(const Wave& w, const Access& access, const Site& site) {
  std::array<std::pair<uint64_t, int>, kLanes> lanes;
  size_t count = 0;
  ForEachLane(access.mask, [&](int lane) {
    lanes[count++] = {access.at[lane], lane};
    return true;
  });
  if (!std::is_sorted(lanes.begin(), lanes.begin() + count)) {
    std::sort(lanes.begin(), lanes.begin() + count);
  }
  const auto byte = [&](int lane, uint64_t n) {
    const uint64_t at = access.register_byte + n;
    return (w.state.vgpr[access.reg + static_cast<int>(at / 4)][lane] >> (at % 4 * 8)) & 0xFF;
  };
  for (size_t n = 1; n < count; ++n) {
    const auto [low, first] = lanes[n - 1];
    const auto [high, second] = lanes[n];
    if (high - low >= access.bytes) continue;
    for (uint64_t at = high; at < low + access.bytes; ++at) {
      if (byte(first, at - low) == byte(second, at - high)) continue;
      Evidence evidence{FindingKind::kLaneConflict, site, {}, high, access.bytes};
      evidence.site.lane = second;
      if (Finding* finding = findings_.Add(evidence)) {
        finding->place = access.space == Space::kLds ? "in LDS" : allocations_.Describe(high);
        finding->detail =
            "lane " + std::to_string(first) + " stores another value there by the same instruction";
      }
      break;
    }
  }
}

uint32_t RaceCheck::RecordFor(const Access& access, const Site& site) {
  uint32_t& newest = newest_[{site.wave, site.pc}];
  if (newest != 0) {
    const Record& record = records_[newest];
    if (record.epoch == epoch_ && record.time == time_ && record.type == access.type) return newest;
  }
  if (records_.size() >= kMostRecords) return 0;
  newest = static_cast<uint32_t>(records_.size());
  records_.push_back({site.pc, group_, time_, epoch_, site.wave, access.type, access.is_scalar});
  return newest;
}

bool RaceCheck::InConflict(const Record& before, const Record& now) const {
  if (before.group == now.group) {
    if (before.wave == now.wave || before.epoch != now.epoch) return false;
    return waves_[before.wave].released <= before.time || waves_[now.wave].acquired <= before.time;
  }
  const auto released = groups_.find(before.group);
  const auto acquired = groups_.find(now.group);
  if (released == groups_.end() || acquired == groups_.end()) return true;
  return released->second.released <= before.time || acquired->second.acquired <= before.time;
}

// `now` acquires and releases. A store from before it was known that the address synchronises was a
// release, too; when the wave's last one was is no longer known.
void RaceCheck::Synchronise(RaceCell& cell, const Record& now) {
  cell.synchronises = true;
  ++time_;
  if (cell.writer != 0) {
    const Record& writer = records_[RecordOf(cell.writer)];
    groups_[writer.group].released = time_;
    if (writer.group == group_) waves_[writer.wave].released = time_;
    cell.writer = 0;
  }
  waves_[now.wave] = {time_, time_};
  groups_[now.group] = {time_, time_};
}

void RaceCheck::CheckCell(RaceCell& cell, AccessId id, const Access& access) {
  const Record now = records_[RecordOf(id)];
  if (cell.synchronises || access.is_coherent || access.type == AccessType::kAtomic) {
    return Synchronise(cell, now);
  }
  if (access.type == AccessType::kRead) return Read(cell, id, access);
  if (cell.writer != 0 && InConflict(records_[RecordOf(cell.writer)], now)) {
    Note(cell, cell.writer, id, access);
  }
  for (const AccessId reader : cell.readers) {
    if (reader != 0 && InConflict(records_[RecordOf(reader)], now)) {
      Note(cell, reader, id, access);
    }
  }
  if (cell.readers[0] != 0) cell.read_before = cell.readers[0];
  cell.writer = id;
  cell.readers[0] = cell.readers[1] = 0;
}

void RaceCheck::Read(RaceCell& cell, AccessId id, const Access& access) {
  const Record& now = records_[RecordOf(id)];
  if (cell.writer != 0 && InConflict(records_[RecordOf(cell.writer)], now)) {
    if (cell.read_before != 0) {
      const Record& before = records_[RecordOf(cell.read_before)];
      if (before.pc == now.pc && before.group == now.group && before.wave == now.wave) {
        return Synchronise(cell, Record(now));
      }
    }
    Note(cell, cell.writer, id, access);
  }
  AccessId& first = cell.readers[0];
  const Record& reader = records_[RecordOf(first)];
  if (first == 0 ||
      (reader.group == now.group && (reader.wave == now.wave || reader.epoch != now.epoch))) {
    first = id;
  } else {
    // Another group's reader stays: every later write of other groups conflicts with it.
    cell.readers[1] = id;
  }
}

Site RaceCheck::SiteOf(AccessId id) const {
  const Record& record = records_[RecordOf(id)];
  return {record.pc, record.group, record.wave, record.is_scalar ? -1 : LaneOf(id), record.type};
}

void RaceCheck::Note(const RaceCell& cell, AccessId before, AccessId now, const Access& access) {
  const bool lds = access.space == Space::kLds;
  const uint64_t address = access.at[LaneOf(now)];
  const std::pair pcs(records_[RecordOf(now)].pc, records_[RecordOf(before)].pc);
  Conflicts& conflicts = (lds ? lds_conflicts_ : global_conflicts_)[pcs];
  if (conflicts.by == now && conflicts.address == address) return;
  conflicts.by = now;
  conflicts.address = address;
  ++conflicts.count;
  std::vector<Conflict>& examples = conflicts.examples;
  if (examples.size() >= kMostExamples) {
    std::erase_if(examples, [](const Conflict& c) { return c.cell->synchronises; });
    if (examples.size() >= kMostExamples) return;
  }
  const FindingKind kind = lds ? FindingKind::kLdsRace : FindingKind::kGlobalRace;
  examples.push_back({{kind, SiteOf(now), SiteOf(before), address, access.bytes}, &cell});
}

void RaceCheck::Settle(ConflictMap& conflicts) {
  for (const auto& [pcs, noted] : conflicts) {
    const auto real =
        std::find_if(noted.examples.begin(), noted.examples.end(),
                     [](const Conflict& conflict) { return !conflict.cell->synchronises; });
    if (real == noted.examples.end()) continue;
    Finding* finding = findings_.Add(real->evidence, noted.count);
    if (finding == nullptr) continue;
    const bool lds = real->evidence.kind == FindingKind::kLdsRace;
    finding->place = lds ? "in LDS" : allocations_.Describe(real->evidence.address);
    const bool same_group = real->evidence.site.group == real->evidence.other->group;
    finding->detail =
        same_group ? "no barrier between the two waves' accesses" : "nothing orders the two groups";
  }
  conflicts.clear();
}

}  // namespace gcnjit::runtime::check
