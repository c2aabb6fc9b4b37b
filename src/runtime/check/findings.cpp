#include "runtime/check/findings.h"

#include "frontend/disassemble/disassembler.h"

namespace gcnjit::runtime::check {
namespace {

uint32_t CeilDivide(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((uint64_t{a} + b - 1) / b);
}

const char* NameOf(AccessType type) {
  switch (type) {
    case AccessType::kRead: return "read";
    case AccessType::kWrite: return "write";
    case AccessType::kAtomic: break;
  }
  return "atomic";
}

}  // namespace

Findings::Findings(const LaunchState& launch, const KernelInfo& kernel, const CodeMap& code,
                   size_t limit)
    : launch_(launch),
      kernel_(kernel),
      code_(code),
      limit_(limit),
      groups_{CeilDivide(launch.global.x, launch.local.x),
              CeilDivide(launch.global.y, launch.local.y),
              CeilDivide(launch.global.z, launch.local.z)} {}

uint64_t Findings::GroupNumber(const std::array<uint32_t, 3>& id) const {
  return (uint64_t{id[2]} * groups_[1] + id[1]) * groups_[0] + id[0];
}

std::string Findings::InstructionText(uint64_t pc) const {
  if (code_.WordsAt(pc).empty()) return "(no code there)";
  const CodeSlot slot = code_.SlotAt(pc);
  if (slot.status != frontend::DecodeStatus::kOk) return "(no instruction)";
  return frontend::Disassemble(code_.generation(), slot.instruction, pc);
}

FindingSite Findings::Describe(const Site& site) const {
  FindingSite result;
  result.pc = site.pc;
  result.kernel_offset = static_cast<int64_t>(site.pc - launch_.entry);
  result.instruction = InstructionText(site.pc);
  if (site.access) result.access = NameOf(*site.access);
  result.workgroup = {static_cast<uint32_t>(site.group % groups_[0]),
                      static_cast<uint32_t>(site.group / groups_[0] % groups_[1]),
                      static_cast<uint32_t>(site.group / groups_[0] / groups_[1])};
  result.wave = site.wave;
  result.lane = site.lane;
  if (site.lane < 0) return result;
  const uint32_t global[3] = {launch_.global.x, launch_.global.y, launch_.global.z};
  const uint32_t local[3] = {launch_.local.x, launch_.local.y, launch_.local.z};
  // A group at the grid's edge has fewer work-items.
  std::array<uint32_t, 3> size;
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint64_t begin = uint64_t{result.workgroup[axis]} * local[axis];
    size[axis] = static_cast<uint32_t>(std::min<uint64_t>(local[axis], global[axis] - begin));
  }
  const std::array<uint32_t, 3> id = LocalId(size, site.wave, site.lane);
  for (size_t axis = 0; axis < 3; ++axis) {
    result.work_item[axis] = uint64_t{result.workgroup[axis]} * local[axis] + id[axis];
  }
  return result;
}

Finding* Findings::Add(const Evidence& evidence, uint64_t count) {
  const Key key{evidence.kind, evidence.site.pc, evidence.other ? evidence.other->pc : 0};
  if (const auto known = known_.find(key); known != known_.end()) {
    findings_[known->second].count += count;
    return nullptr;
  }
  if (findings_.size() >= limit_) {
    left_out_.insert(key);
    return nullptr;
  }
  known_.emplace(key, findings_.size());
  Finding& finding = findings_.emplace_back();
  finding.kind = evidence.kind;
  finding.kernel = kernel_.name;
  finding.site = Describe(evidence.site);
  if (evidence.other) finding.other = Describe(*evidence.other);
  finding.address = evidence.address;
  finding.access_bytes = evidence.bytes;
  finding.count = count;
  return &finding;
}

}  // namespace gcnjit::runtime::check
