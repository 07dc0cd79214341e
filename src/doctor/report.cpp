#include "doctor/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_layout.hpp"
#include "doctor/prove/machine_facts.hpp"
#include "doctor/prove/proof_report.hpp"
#include "report/schema.hpp"

namespace tacho {

std::string examination_text(const Examination& seen) {
  std::string text = seen.pmu_kind == PmuKind::none
                         ? fmt::format("tacho can count nothing here ({})\n\n", seen.pmu_name)
                         : fmt::format("tacho counts with {} events here ({})\n\n",
                                       to_string(seen.pmu_kind), seen.pmu_name);
  // Names of unequal cores' findings are longer than the others.
  constexpr std::size_t kUsual = 22;
  std::size_t width = kUsual;
  for (const Finding& finding : seen.findings) width = std::max(width, finding.name.size());
  for (const Finding& finding : seen.findings) {
    text +=
        paragraph(fmt::format("  {:<8} {:<{}} ", to_string(finding.verdict), finding.name, width),
                  finding.detail);
    if (!finding.remedy.empty())
      text += fmt::format("  {:<{}} remedy: {}\n", "", width + 9, finding.remedy);
  }
  return text;
}

namespace {

Json findings_json(const Examination& seen) {
  Json findings = Json::array();
  for (const Finding& finding : seen.findings) {
    Json entry;
    entry["name"] = finding.name;
    entry["status"] = to_string(finding.verdict);
    entry["detail"] = finding.detail;
    entry["remedy"] = finding.remedy.empty() ? Json() : Json(finding.remedy);
    findings.push_back(std::move(entry));
  }
  return findings;
}

Json examination_document(const Examination& seen, std::string_view version) {
  Json json;
  json["tacho"] = {{"version", version}, {"schema", 1}};
  json["pmu"]["kind"] = to_string(seen.pmu_kind);
  json["pmu"]["name"] = seen.pmu_name;
  json["pmu"]["counters"] = seen.counters;
  json["findings"] = findings_json(seen);
  return json;
}

}  // namespace

std::string examination_json(const Examination& seen, std::string_view version) {
  return written(examination_document(seen, version), 2);
}

std::string proven_json(const Examination& seen, const Catalogue& catalogue,
                        const prove::ProofReport& proven, std::string_view version) {
  Json json = examination_document(seen, version);
  json["machine"] = prove::machine_facts(catalogue);
  json["proofs"] = prove::proofs_json(proven);
  json["seconds"] = json_number(proven.seconds);
  return written(json, 2);
}

}  // namespace tacho
