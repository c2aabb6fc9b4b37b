#include "runtime/check/finding_json.h"

namespace gcnjit {

nlohmann::json ToJson(const SourceFrames& frames) {
  nlohmann::json json = nlohmann::json::array();
  for (const SourceFrame& frame : frames) {
    json.push_back({{"file", frame.file}, {"line", frame.line}, {"function", frame.function}});
  }
  return json;
}

namespace {

nlohmann::json ToJson(const FindingSite& site) {
  nlohmann::json json = {{"pc", site.pc},
                         {"kernel_offset", site.kernel_offset},
                         {"instruction", site.instruction},
                         {"workgroup", site.workgroup},
                         {"wave", site.wave},
                         {"lane", site.lane}};
  if (!site.source.empty()) json["source"] = gcnjit::ToJson(site.source);
  if (!site.access.empty()) json["access"] = site.access;
  if (site.lane >= 0) json["work_item"] = site.work_item;
  return json;
}

}  // namespace

nlohmann::json ToJson(const Finding& finding) {
  nlohmann::json json = {{"kind", ToString(finding.kind)},
                         {"kernel", finding.kernel},
                         {"count", finding.count},
                         {"site", ToJson(finding.site)},
                         {"detail", finding.detail}};
  if (finding.other) json["other"] = ToJson(*finding.other);
  if (finding.access_bytes != 0) {
    json["address"] = finding.address;
    json["access_bytes"] = finding.access_bytes;
    json["place"] = finding.place;
  }
  return json;
}

}  // namespace gcnjit
