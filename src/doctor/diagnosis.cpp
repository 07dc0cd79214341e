// The doctor's findings, for people and for programs.
#include "doctor/diagnosis.hpp"

#include <fmt/format.h>

#include "base/text_layout.hpp"
#include "report/schema.hpp"

namespace tacho {

std::string diagnosis_text(const Diagnosis& diagnosis) {
  std::string text = diagnosis.pmu_kind == PmuKind::none
                         ? fmt::format("tacho can count nothing here ({})\n\n", diagnosis.pmu_name)
                         : fmt::format("tacho counts with {} events here ({})\n\n",
                                       to_string(diagnosis.pmu_kind), diagnosis.pmu_name);
  for (const Diagnosis::Line& line : diagnosis.lines) {
    text += paragraph(fmt::format("  {:<8} {:<22} ", line.status, line.name), line.detail);
    if (!line.remedy.empty()) text += fmt::format("  {:<31} remedy: {}\n", "", line.remedy);
  }
  return text;
}

std::string diagnosis_json(const Diagnosis& diagnosis, std::string_view version) {
  Json findings = Json::array();
  for (const Diagnosis::Line& line : diagnosis.lines) {
    Json entry;
    entry["name"] = line.name;
    entry["status"] = line.status;
    entry["detail"] = line.detail;
    entry["remedy"] = line.remedy.empty() ? Json() : Json(line.remedy);
    findings.push_back(std::move(entry));
  }
  Json json;
  json["tacho"] = {{"version", version}, {"schema", 1}};
  json["pmu"]["kind"] = to_string(diagnosis.pmu_kind);
  json["pmu"]["name"] = diagnosis.pmu_name;
  json["pmu"]["counters"] = diagnosis.counters;
  json["findings"] = std::move(findings);
  return written(json, 2);
}

}  // namespace tacho
