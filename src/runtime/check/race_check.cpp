#include "runtime/check/race_check.h"

#include <algorithm>
#include <cstring>

namespace gcnjit::runtime::check {
namespace {

// Numbers of records have 26 bits; a launch that needs more runs for hours.
constexpr size_t kMostRecords = size_t{1} << (32 - kLaneBits);
// Of a pair of instructions so many addresses are kept until it is known whether they synchronise.
constexpr size_t kMostExamples = 64;

FindingKind KindOfRace(const Access& access) {
  return access.space == Space::kLds ? FindingKind::kLdsRace : FindingKind::kGlobalRace;
}

uint32_t CheckOf(FindingKind kind) {
  const bool atomics = kind == FindingKind::kMixedAtomic || kind == FindingKind::kPlainFlag;
  return atomics ? kCheckAtomics : kCheckRaces;
}

// Is it a conflict, now that more is known of its address?
bool Counts(FindingKind kind, const RaceCell& cell) {
  return kind == FindingKind::kMixedAtomic || !cell.synchronises;
}

}  // namespace

void RaceCheck::BeginGroup(uint64_t group, uint32_t waves, uint32_t lds_bytes) {
  group_.number = group;
  group_.epoch = 0;
  group_.waves.assign(waves, {});
  group_.flags.clear();
  group_.lds.assign(lds_bytes, {});
  group_.newest.clear();
}

void RaceCheck::Check(const Wave& w, const Access& access, const Site& site) {
  const bool has_lanes = access.HasStoredBytes() && !access.is_scalar;
  if (access.type == AccessType::kWrite && has_lanes && (checks_ & kCheckRaces) != 0) {
    CheckLanes(w, access, site);
  }
  const uint32_t record = RecordFor(access, site);
  if (record == 0) return;
  ForEachLane(access.mask, [&](int lane) {
    const AccessId id = MakeAccessId(record, static_cast<uint32_t>(lane));
    for (uint64_t at = access.at[lane]; at < access.at[lane] + access.bytes; ++at) {
      if (access.space == Space::kGlobal) {
        CheckCell(global_.PageOf(at)[at % CellPages::kBytes], id, w, access, at);
      } else if (at < group_.lds.size()) {
        CheckCell(group_.lds[at], id, w, access, at);
      }
    }
    return true;
  });
  if (access.type != AccessType::kRead && access.space == Space::kGlobal) {
    group_.waves[site.wave].has_stored = true;
  }
}

// Several lanes may store to one address, and by rights the order is not defined.
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
  const auto byte = [&](int lane, uint64_t n) { return access.StoredByte(w, lane, n); };
  const auto report = [&](FindingKind kind, size_t n, uint64_t times) {
    const auto [address, lane] = lanes[n];
    Evidence evidence{kind, site, {}, address, access.bytes};
    evidence.site.lane = lane;
    const bool is_note = IsNote(kind);
    Finding* finding = (is_note ? notes_ : findings_).Add(evidence, times);
    if (finding == nullptr) return;
    finding->place = access.space == Space::kLds ? "in LDS" : allocations_.Describe(address);
    finding->detail = "lane " + std::to_string(lanes[n - 1].second) + " stores " +
                      (is_note ? "the same" : "another") + " value there by the same instruction";
  };
  size_t first_same = 0;
  uint64_t same = 0;
  for (size_t n = 1; n < count; ++n) {
    const auto [low, first] = lanes[n - 1];
    const auto [high, second] = lanes[n];
    if (high - low >= access.bytes) continue;
    uint64_t at = high;
    while (at < low + access.bytes && byte(first, at - low) == byte(second, at - high)) ++at;
    if (at < low + access.bytes) {
      report(FindingKind::kLaneConflict, n, 1);
    } else if (same++ == 0) {
      first_same = n;
    }
  }
  if (same != 0) report(FindingKind::kSameValue, first_same, same);
}

uint32_t RaceCheck::RecordFor(const Access& access, const Site& site) {
  Record record{site.pc,     group_.number,    time_, group_.epoch, site.wave, 0,
                access.type, access.is_scalar, false};
  if (access.type == AccessType::kWrite) {
    record.waits = group_.waves[site.wave].waits;
    record.is_release = IsRelease(access, group_.waves[site.wave]);
  }
  uint32_t& newest = group_.newest[{site.wave, site.pc}];
  if (newest != 0 && records_[newest] == record) return newest;
  if (newest != 0 && access.is_coherent && access.type == AccessType::kRead) {
    // A wave that polls makes many of them, and their times do not count: they synchronise.
    record.time = records_[newest].time;
    if (records_[newest] == record) return newest;
    record.time = time_;
  }
  if (records_.size() >= kMostRecords) return 0;
  newest = static_cast<uint32_t>(records_.size());
  records_.push_back(record);
  return newest;
}

bool RaceCheck::InConflict(const Record& before, const Record& now) const {
  if (before.group == now.group) {
    if (before.wave == now.wave || before.epoch != now.epoch) return false;
    return group_.waves[before.wave].released <= before.time ||
           group_.waves[now.wave].acquired <= before.time;
  }
  const auto released = groups_.find(before.group);
  const auto acquired = groups_.find(now.group);
  if (released == groups_.end() || acquired == groups_.end()) return true;
  return released->second.released <= before.time || acquired->second.acquired <= before.time;
}

// `id` acquires and releases. A store from before it was known that the address synchronises was a
// release, too; when the wave's last one was is no longer known.
void RaceCheck::Synchronise(RaceCell& cell, AccessId id, const Access& access) {
  const Record now = records_[RecordOf(id)];
  const bool is_new = !cell.synchronises;
  if (is_new) {
    cell.synchronises = true;
    cell.atomic() = 0;
    cell.flag() = cell.writer;
  }
  const bool is_flag = cell.flag() != 0 && records_[RecordOf(cell.flag())].group != now.group;
  if ((checks_ & kCheckAtomics) != 0) CheckAtomics(cell, id, access);
  ++time_;
  if (is_new && cell.writer != 0) {
    const Record& writer = records_[RecordOf(cell.writer)];
    groups_[writer.group].released = time_;
    if (writer.group == group_.number) group_.waves[writer.wave].released = time_;
  }
  WaveOrder& wave = group_.waves[now.wave];
  wave.released = wave.acquired = time_;
  // LDS orders no groups.
  GroupOrder unused;
  GroupOrder& group = access.space == Space::kLds ? unused : groups_[now.group];
  group.released = group.acquired = time_;
  const bool is_atomic = access.type == AccessType::kAtomic;
  if (!is_flag || is_atomic) group.acquired_by_other = time_;
  if (is_atomic) cell.atomic() = id;
  if (access.type == AccessType::kRead) return;
  const bool is_plain = !is_atomic && !access.is_coherent;
  if (!is_plain) group.released_by_atomic = time_;
  if (is_plain) cell.writer = id;
  cell.flag() = is_plain ? id : 0;
}

void RaceCheck::SynchroniseGroups(uint32_t wave) {
  ++time_;
  WaveOrder& order = group_.waves[wave];
  order.released = order.acquired = time_;
  groups_[group_.number] = {time_, time_, time_, time_};
}

// Does the store leave the byte as it is?
bool RaceCheck::StoresSame(const Wave& w, const Access& access, int lane, uint64_t at) {
  if (!access.HasStoredBytes()) return false;
  const std::byte* memory = nullptr;
  if (access.space == Space::kLds) {
    if (at < w.group.lds_bytes) memory = w.group.lds + at;
  } else if (w.dispatch.memory->Readable(at, 1)) {
    memory = reinterpret_cast<const std::byte*>(at);
  }
  return memory != nullptr &&
         *memory == std::byte{access.StoredByte(w, lane, at - access.at[lane])};
}

void RaceCheck::CheckCell(RaceCell& cell, AccessId id, const Wave& w, const Access& access,
                          uint64_t at) {
  if (cell.synchronises || access.is_coherent || access.type == AccessType::kAtomic) {
    return Synchronise(cell, id, access);
  }
  if (access.type == AccessType::kRead) return Read(cell, id, access);
  const Record now = records_[RecordOf(id)];
  const FindingKind race = KindOfRace(access);
  if (cell.writer != 0 && InConflict(records_[RecordOf(cell.writer)], now)) {
    const bool same = StoresSame(w, access, LaneOf(id), at);
    Note(same ? FindingKind::kSameValue : race, cell, cell.writer, id, access);
    // A read from before the first of them may see either value.
    const AccessId reader = same ? cell.read_before : 0;
    if (reader != 0 && InConflict(records_[RecordOf(reader)], now)) {
      Note(race, cell, reader, id, access);
    }
  }
  for (const AccessId reader : cell.readers) {
    if (reader != 0 && InConflict(records_[RecordOf(reader)], now)) {
      Note(race, cell, reader, id, access);
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
        return Synchronise(cell, id, access);
      }
    }
    Note(KindOfRace(access), cell, cell.writer, id, access);
  } else if (cell.writer != 0 && (checks_ & kCheckAtomics) != 0) {
    CheckPublished(cell, id, access);
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

// Counts an access; the bytes of one count once. Null: it has been counted, or needs no example.
RaceCheck::Conflicts* RaceCheck::Count(FindingKind kind, std::pair<uint64_t, uint64_t> pcs,
                                       AccessId now, const Access& access) {
  ConflictMap& map = access.space == Space::kLds ? group_.lds_conflicts : global_conflicts_;
  Conflicts& conflicts = map[{kind, pcs.first, pcs.second}];
  const uint64_t address = access.at[LaneOf(now)];
  if (conflicts.by == now && conflicts.address == address) return nullptr;
  conflicts.by = now;
  conflicts.address = address;
  ++conflicts.count;
  std::vector<Conflict>& examples = conflicts.examples;
  if (examples.size() >= kMostExamples) {
    std::erase_if(examples, [](const Conflict& c) { return !Counts(c.evidence.kind, *c.cell); });
    if (examples.size() >= kMostExamples) return nullptr;
  }
  return &conflicts;
}

void RaceCheck::Note(FindingKind kind, const RaceCell& cell, AccessId before, AccessId now,
                     const Access& access) {
  const std::pair pcs(records_[RecordOf(now)].pc, records_[RecordOf(before)].pc);
  Conflicts* conflicts = Count(kind, pcs, now, access);
  if (conflicts == nullptr) return;
  const uint64_t address = access.at[LaneOf(now)];
  conflicts->examples.push_back(
      {{kind, SiteOf(now), SiteOf(before), address, access.bytes}, &cell, {}});
}

void RaceCheck::Settle(ConflictMap& conflicts, bool lds) {
  for (const auto& [key, noted] : conflicts) {
    const FindingKind kind = std::get<0>(key);
    if ((checks_ & CheckOf(kind)) == 0) continue;
    const auto real = std::find_if(noted.examples.begin(), noted.examples.end(),
                                   [kind](const Conflict& c) { return Counts(kind, *c.cell); });
    if (real == noted.examples.end()) continue;
    Finding* finding = (IsNote(kind) ? notes_ : findings_).Add(real->evidence, noted.count);
    if (finding == nullptr) continue;
    finding->place = lds ? "in LDS" : allocations_.Describe(real->evidence.address);
    finding->detail = DetailOf(*real);
  }
  conflicts.clear();
}

std::string RaceCheck::DetailOf(const Conflict& conflict) const {
  if (!conflict.detail.empty()) return conflict.detail;
  const bool same_group = conflict.evidence.site.group == conflict.evidence.other->group;
  const std::string order =
      same_group ? "no barrier between the two waves' accesses" : "nothing orders the two groups";
  switch (conflict.evidence.kind) {
    case FindingKind::kSameValue: return order + ", which store the same value there";
    case FindingKind::kMixedAtomic: return order + "; " + AdviceOnMixedAtomic();
    default: return order;
  }
}

}  // namespace gcnjit::runtime::check
