// tacho doctor: what this machine can count, what stands in the way, and the remedy.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/failure.hpp"
#include "cli/help.hpp"
#include "cli/subcommands.hpp"
#include "doctor/examine.hpp"
#include "doctor/report.hpp"
#include "events/catalogue.hpp"
#include "report/output.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

int run_doctor(bool json) {
  const Examination seen = examine(Catalogue());
  auto written = Output::to_stdout().write(json ? examination_json(seen, TACHO_VERSION_STRING)
                                                : examination_text(seen));
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
