// tacho doctor: what this machine can count, what stands in the way, and the remedy; with --prove,
// whether what it counts is right.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/failure.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "doctor/examine.hpp"
#include "doctor/prove/proof_report.hpp"
#include "doctor/prove/prove.hpp"
#include "doctor/report.hpp"
#include "doctor/trace_file.hpp"
#include "events/catalogue.hpp"
#include "help/help_format.hpp"
#include "report/output.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

constexpr int kSomeFailed = 1;  // exit status if a check failed

struct DoctorOptions {
  bool json = false;
  bool prove = false;
  std::string trace;
};

struct Diagnosis {
  std::string text;
  int status = 0;
};

Diagnosis examine_machine(const Catalogue& catalogue, const DoctorOptions& options) {
  if (options.prove && !options.json) {
    const prove::ProofReport proven = prove::prove_machine(catalogue, say_progress);
    return {prove::proof_text(proven), proven.count(prove::Outcome::failed) > 0 ? kSomeFailed : 0};
  }
  const Examination seen = examine(catalogue);
  if (!options.prove)
    return {options.json ? examination_json(seen, TACHO_VERSION_STRING) : examination_text(seen)};
  const prove::ProofReport proven = prove::prove_machine(catalogue, say_progress);
  return {proven_json(seen, catalogue, proven, TACHO_VERSION_STRING),
          proven.count(prove::Outcome::failed) > 0 ? kSomeFailed : 0};
}

int run_doctor(const DoctorOptions& options) {
  const Catalogue catalogue;
  std::unique_ptr<TraceFile> trace;
  if (!options.trace.empty()) {
    auto opened = TraceFile::open(options.trace, catalogue, TACHO_VERSION_STRING);
    if (!opened) return fail(opened.error());
    trace = std::move(*opened);
  }
  const Diagnosis diagnosis = examine_machine(catalogue, options);
  say_progress("");
  if (trace && !trace->written()) return fail(trace->written().error());
  const auto written = Output::to_stdout().write(diagnosis.text);
  return written ? diagnosis.status : fail(written.error());
}

}  // namespace

void add_doctor(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* doctor = program.add_subcommand(
      "doctor", "Tell what this machine can count, and the remedy for what it can't");
  doctor->footer("Exit status: 0; 1 when a check of --prove failed; 125 when tacho itself failed.");
  auto options = std::make_shared<DoctorOptions>();
  doctor->add_flag("--json", options->json, "As JSON, schema 1");
  doctor->add_flag("--prove", options->prove,
                   "Measure what is known, and tell whether it came out right (a minute at most)");
  doctor
      ->add_option("--trace", options->trace,
                   "Write each perf_event_open and each reading to a file, a line of JSON each")
      ->type_name("FILE");
  doctor->callback([options, &status] { status = run_doctor(*options); });
}

}  // namespace tacho
