// tacho doctor: what this machine can count, what stands in the way, and the remedy.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/failure.hpp"
#include "cli/help.hpp"
#include "cli/subcommands.hpp"
#include "doctor/diagnosis.hpp"
#include "doctor/examine.hpp"
#include "events/catalogue.hpp"
#include "report/output.hpp"

namespace tacho {
namespace {

Diagnosis diagnose() {
  const Examination seen = examine(Catalogue());
  Diagnosis diagnosis{seen.pmu_kind, seen.pmu_name, seen.counters, {}};
  for (const Finding& finding : seen.findings)
    diagnosis.lines.push_back(
        {finding.name, std::string(to_string(finding.verdict)), finding.detail, finding.remedy});
  return diagnosis;
}

int run_doctor(bool json) {
  const Diagnosis diagnosis = diagnose();
  auto written = Output::to_stdout().write(json ? diagnosis_json(diagnosis, TACHO_VERSION)
                                                : diagnosis_text(diagnosis));
  return written ? 0 : fail(written.error());
}

}  // namespace

void add_doctor(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* doctor = program.add_subcommand(
      "doctor", "Tell what this machine can count, and the remedy for what it can't");
  doctor->footer(kOwnExitStatus);
  auto json = std::make_shared<bool>(false);
  doctor->add_flag("--json", *json, "As JSON, schema 1");
  doctor->callback([json, &status] { status = run_doctor(*json); });
}

}  // namespace tacho
