// tacho latency: what a load costs at each level of the memory hierarchy.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>

#include "cli/latency_options.hpp"
#include "cli/latency_output.hpp"
#include "cli/native_latency.hpp"
#include "cli/say.hpp"
#include "cli/simulated_latency.hpp"
#include "cli/subcommands.hpp"
#include "latency/chase/allowance.hpp"
#include "latency/chase/kernels.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/streams.hpp"
#include "pmu/choice/pmu_option.hpp"

namespace tacho {
namespace {

volatile std::sig_atomic_t ended_by = 0;

// What was measured until then is still told.
void end_at_signals() {
  struct sigaction action{};
  action.sa_handler = [](int signal) { ended_by = signal; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

bool ended() {
  return ended_by != 0;
}

int fail_after_progress(const Error& error) {
  say_progress("");
  say_error(error);
  return kOwnFailure;
}

// What the kernel tells of memory reads differently each time, and a simulated walk is to be the
// same in every run: so no one is asked about what any machine has.
Result<void> check_list(std::size_t bytes) {
  constexpr std::size_t kAnyMachineHas = std::size_t{16} << 20U;
  if (bytes <= kAnyMachineHas) return {};
  const auto allowance = chase::memory_allowance();
  if (!allowance) return std::unexpected(allowance.error());
  return chase::check_room(*allowance, bytes);
}

// Far less than a second for what tools want to see.
int walk(const LatencyOptions& options) {
  const auto asked = walk_of(options);
  if (!asked) return fail_after_progress(asked.error());
  const std::size_t lines = std::max<std::size_t>(asked->bytes / asked->line_bytes, 1);
  const std::size_t page = chase::small_page_bytes();
  const auto pages = asked->huge_pages ? chase::Pages::huge : chase::Pages::small;
  const chase::Shape shape{asked->layout, asked->line_bytes, page};
  const std::size_t bytes =
      lines > SIZE_MAX / shape.stride() ? SIZE_MAX : lines * shape.stride();  // may be spread
  if (auto fits = check_list(bytes); !fits) return fail_after_progress(fits.error());
  const auto memory = chase::Memory::obtain(bytes, pages);
  if (!memory) return fail_after_progress(memory.error());
  chase::List list(memory->bytes(), shape);
  list.resize(lines);
  chase::kernel(asked->access, chase::Timer::ticks).walk(list.begin(), asked->steps);
  return 0;
}

Result<void> measure_model(const LatencyOptions& options, LatencyReport& report) {
  auto choice = parse_pmu_option(options.pmu);
  if (!choice) return std::unexpected(choice.error());
  auto asked = asked_sizes(options);
  if (!asked) return std::unexpected(asked.error());
  const SimulatedRequest request{
      .most_bytes = asked->most.value_or(default_most_of(*choice->model)),
      .sizes = std::move(asked->sizes),
      .events = options.events};
  report.simulated = true;
  report.overlaps = !choice->model->in_order || choice->model->hidden != 0;
  report.processor = choice->model->name;
  report.clock = "simulated cycles";
  report.inference.tick_hz = static_cast<double>(choice->model->frequency_hz);
  const auto begin = std::chrono::steady_clock::now();
  const auto done = measure_simulated(
      *choice, request, ended,
      [](double part) { say_progress(fmt::format("latency: simulating, {:.0f} %", 100 * part)); },
      report);
  say_progress("");
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return done;
}

void infer(LatencyReport& report) {
  report.inference =
      infer_latency(report.samples, report.advertised, report.inference.tick_hz, report.held);
  report.warnings.insert(report.warnings.begin(), report.inference.warnings.begin(),
                         report.inference.warnings.end());
}

int run_latency(const LatencyOptions& options) {
  if (auto sane = check(options); !sane) return fail_after_progress(sane.error());
  if (options.walk) return walk(options);
  auto output = LatencyOutput::open(options);
  if (!output) return fail_after_progress(output.error());
  end_at_signals();
  bool written = false;
  std::optional<int> counting_ended_by;
  if (options.cores) {
    const auto matrix = measure_cores(ended);
    if (!matrix) return fail_after_progress(matrix.error());
    written = output->finish(*matrix);
  } else {
    LatencyReport report;
    report.version = TACHO_VERSION;
    const bool simulated = simulated_model(options.pmu).has_value();
    std::unique_ptr<chase::Streams> streams;  // of --loaded: all is measured beside them
    const auto measured = simulated ? measure_model(options, report)
                                    : measure_native(options, ended, report, streams);
    if (!measured) return fail_after_progress(measured.error());
    infer(report);
    if (!simulated)
      if (auto more = measure_more(options, ended, report); !more)
        return fail_after_progress(more.error());
    written = output->finish(report);
    counting_ended_by = report.ended_by;
  }
  if (!written) return kOwnFailure;
  const int signal = counting_ended_by.value_or(ended_by);
  return signal != 0 ? 128 + signal : 0;
}

}  // namespace

void add_latency(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* latency =
      program.add_subcommand("latency", "Measure what a load costs at each level of the memory");
  latency->footer("Exit status: 0; 128+N when signal N ended it; 125 when tacho itself failed.");
  auto options = std::make_shared<LatencyOptions>();
  declare(*latency, *options);
  latency->callback([options, &status] { status = run_latency(*options); });
}

}  // namespace tacho
