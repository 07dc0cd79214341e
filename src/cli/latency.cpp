// tacho latency: the latency of a load at each level of the memory hierarchy.
#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>

#include "cli/latency_options.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "latency/core_round_trips.hpp"
#include "latency/measure.hpp"
#include "latency/report/latency_output.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

volatile std::sig_atomic_t ended_by = 0;

// A signal ends the measurement; the results so far are printed.
void end_at_signals() {
  struct sigaction action{};
  action.sa_handler = [](int signal) { ended_by = signal; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

bool ended() {
  return ended_by != 0;
}

void show_progress(const std::string& line) {
  say_progress(line);
}

// Returns the exit status, or an error that is not yet printed.
Result<int> measure_and_print(const LatencyOptions& options) {
  TACHO_TRY(check(options));
  if (options.walk) {
    const Walk walk = TACHO_TRY(walk_of(options));
    TACHO_TRY(walk_list(walk));
    return 0;
  }
  const LatencyRequest request = TACHO_TRY(request_of(options));
  LatencyOutput output = TACHO_TRY(
      LatencyOutput::open(options.files, options.format(), TACHO_VERSION_STRING, notices()));
  end_at_signals();
  bool written = false;
  int signal = 0;
  if (options.cores) {
    written = output.finish(TACHO_TRY(measure_core_round_trips(ended, show_progress)));
  } else {
    if (request.pmu.model && request.sizes.empty())
      say_line(
          "tacho: simulating all sizes takes minutes; Ctrl-C prints those so far, --sizes chooses");
    LatencyReport report = TACHO_TRY(measure_latency(request, ended, show_progress));
    report.version = TACHO_VERSION_STRING;
    written = output.finish(report);
    signal = report.ended_by.value_or(0);
  }
  if (!written) return kOwnFailure;
  if (signal == 0) signal = ended_by;
  return signal != 0 ? 128 + signal : 0;
}

int run_latency(const LatencyOptions& options) {
  const auto status = measure_and_print(options);
  if (status) return *status;
  say_progress("");
  say_error(status.error());
  return kOwnFailure;
}

}  // namespace

void add_latency(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* latency = program.add_subcommand(
      "latency", "Measure the latency of a load at each level of the memory hierarchy");
  latency->footer("Exit status: 0; 128+N if signal N ended it; 125 if tacho itself failed.");
  auto options = std::make_shared<LatencyOptions>();
  declare(*latency, *options);
  latency->callback([options, &status] { status = run_latency(*options); });
}

}  // namespace tacho
