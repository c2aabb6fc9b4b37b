// What reports and results consist of, for pickles: every member.
#pragma once

#include "gcnjit/launch.h"
#include "python/pickle.h"

namespace gcnjit::python {

template <>
struct Members<SourceFrame> {
  static auto Of(auto& f) { return std::tie(f.file, f.line, f.function); }
};

template <>
struct Members<FaultReport> {
  static auto Of(auto& f) {
    return std::tie(f.kind, f.kernel, f.target, f.pc, f.kernel_offset, f.instruction, f.source,
                    f.workgroup, f.wave, f.lane, f.work_item, f.exec, f.address, f.access_bytes,
                    f.nearest, f.detail);
  }
};

template <>
struct Members<FindingSite> {
  static auto Of(auto& s) {
    return std::tie(s.pc, s.kernel_offset, s.instruction, s.access, s.workgroup, s.wave, s.lane,
                    s.work_item, s.source);
  }
};

template <>
struct Members<Finding> {
  static auto Of(auto& f) {
    return std::tie(f.kind, f.kernel, f.site, f.other, f.address, f.access_bytes, f.place, f.detail,
                    f.count);
  }
};

template <>
struct Members<InstructionCount> {
  static auto Of(auto& c) { return std::tie(c.mnemonic, c.executed, c.fidelity, c.ulp, c.note); }
};

template <>
struct Members<Statistics> {
  static auto Of(auto& s) {
    return std::tie(s.workgroups, s.waves, s.wave_instructions, s.seconds, s.compiled_regions,
                    s.compiled_instructions, s.compile_seconds, s.cached_regions, s.cache_seconds,
                    s.code_bytes, s.discarded_regions, s.not_compiled, s.instructions);
  }
};

template <>
struct Members<UnfinishedGroups> {
  static auto Of(auto& u) { return std::tie(u.begun, u.waiting, u.resident, u.not_begun, u.total); }
};

template <>
struct Members<LaunchResult> {
  static auto Of(auto& r) {
    return std::tie(r.status, r.fault, r.unfinished, r.findings, r.findings_left_out, r.notes,
                    r.notes_left_out, r.print_loss, r.statistics);
  }
};

}  // namespace gcnjit::python
