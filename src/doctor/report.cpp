#include "doctor/report.hpp"

#include <fmt/format.h>

#include "base/text_layout.hpp"
#include "report/schema.hpp"

namespace tacho {

std::string examination_text(const Examination& seen) {
  std::string text = seen.pmu_kind == PmuKind::none
                         ? fmt::format("tacho can count nothing here ({})\n\n", seen.pmu_name)
                         : fmt::format("tacho counts with {} events here ({})\n\n",
                                       to_string(seen.pmu_kind), seen.pmu_name);
  for (const Finding& finding : seen.findings) {
    text += paragraph(fmt::format("  {:<8} {:<22} ", to_string(finding.verdict), finding.name),
                      finding.detail);
    if (!finding.remedy.empty()) text += fmt::format("  {:<31} remedy: {}\n", "", finding.remedy);
  }
  return text;
}

std::string examination_json(const Examination& seen, std::string_view version) {
  Json findings = Json::array();
  for (const Finding& finding : seen.findings) {
    Json entry;
    entry["name"] = finding.name;
    entry["status"] = to_string(finding.verdict);
    entry["detail"] = finding.detail;
    entry["remedy"] = finding.remedy.empty() ? Json() : Json(finding.remedy);
    findings.push_back(std::move(entry));
  }
  Json json;
  json["tacho"] = {{"version", version}, {"schema", 1}};
  json["pmu"]["kind"] = to_string(seen.pmu_kind);
  json["pmu"]["name"] = seen.pmu_name;
  json["pmu"]["counters"] = seen.counters;
  json["findings"] = std::move(findings);
  return written(json, 2);
}

}  // namespace tacho
