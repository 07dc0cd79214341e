#include "cli/record_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <limits>

#include "cli/option_value.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "process/check_process.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kHighest = std::numeric_limits<std::int64_t>::max();  // the kernel's

// "fp", "dwarf" or "dwarf,BYTES".
Result<void> take_call_graph(std::string_view text, SampleSpec& spec) {
  constexpr std::uint32_t kMostStack = 65'528;  // a record's size is a 16-bit number
  constexpr std::uint32_t kWord = 8;
  if (text == "fp") {
    spec.chains = SampleSpec::Chains::frame_pointers;
    return {};
  }
  std::uint32_t bytes = spec.stack_bytes;
  bool right = text == "dwarf";
  if (constexpr std::string_view kSized = "dwarf,"; text.starts_with(kSized)) {
    const std::string_view number = text.substr(kSized.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bytes);
    right = error == std::errc() && end == number.data() + number.size() && bytes > 0 &&
            bytes % kWord == 0 && bytes <= kMostStack;
  }
  if (!right)
    return failure(
        fmt::format("--call-graph: '{}' is none", text),
        fmt::format("fp, dwarf or dwarf,BYTES with a multiple of 8 up to {}", kMostStack));
  spec.chains = SampleSpec::Chains::dwarf;
  spec.stack_bytes = bytes;
  return {};
}

}  // namespace

void declare(CLI::App& record, RecordOptions& o) {
  record
      .add_option("-e,--event", o.events,
                  "Events to sample, separated by commas (default: cycles, or cpu-clock where "
                  "there is no hardware PMU). Names are perf's: see 'tacho list'")
      ->type_name("EVENTS");
  record
      .add_option("-c,--count", o.period,
                  "Sample each time that an event has counted N more. Else by frequency, with "
                  "periods that are dithered")
      ->type_name("N")
      ->transform(decimal(std::uint64_t{1}, kHighest));
  record
      .add_option("-F,--freq", o.frequency,
                  "Samples a second of running time (default: 4000; in a simulation 100000, of "
                  "simulated time)")
      ->type_name("HZ")
      ->transform(decimal(std::uint64_t{1}, kHighest));
  record.add_flag("-g", o.frame_pointers, "Also who called: --call-graph fp");
  record
      .add_option("--call-graph", o.call_graph,
                  "Also who called: by frame pointers (fp), or from DWARF and a copy of BYTES of "
                  "the stack (dwarf[,BYTES], default 8192)")
      ->type_name("HOW");
  record.add_flag("-b,--branch-any", o.branches,
                  "Also the stack of the last taken branches, where the core keeps one");
  record.add_option("-p,--pid", o.pid, "Sample a running process: its threads and what they start")
      ->type_name("PID")
      ->transform(decimal(1, 4'194'304));  // the kernel's PID_MAX_LIMIT
  record.add_flag("-a,--all-cpus", o.every_cpu, "Sample whatever runs on any CPU");
  record
      .add_option("--pmu", o.pmu,
                  fmt::format("What samples: {} (default: auto)", fmt::join(pmu_words(), ", ")))
      ->type_name("KIND");
  record
      .add_option("-o,--output", o.output,
                  "The recording (default: perf.data). One that is there becomes FILE.old")
      ->type_name("FILE");
  record.add_flag("-q,--quiet", o.quiet, "Say nothing of what was recorded");
}

Result<SampleSpec> sample_spec(const RecordOptions& o) {
  struct Rule {
    bool broken;
    const char* what;
    const char* remedy;
  };
  const std::array rules = {
      Rule{o.command.empty() && !o.pid && !o.every_cpu, "no command to record",
           "tacho record [OPTIONS] -- COMMAND…, or -p PID, or -a"},
      Rule{!o.command.empty() && o.command.front().empty(), "the command's name is empty",
           "tacho record [OPTIONS] -- COMMAND…"},
      Rule{o.pid && o.every_cpu, "-p and -a exclude each other", "give one of them"},
      Rule{o.period && o.frequency, "-c and -F exclude each other", "give one of them"},
      Rule{o.frame_pointers && o.call_graph, "-g is --call-graph fp: both are too many",
           "give one of them"},
  };
  for (const Rule& rule : rules)
    if (rule.broken) return failure(rule.what, rule.remedy);
  if (o.pid)
    if (auto whole = check_process(*o.pid); !whole) return std::unexpected(whole.error());
  SampleSpec spec;
  spec.period = o.period;
  spec.frequency = o.frequency.value_or(spec.frequency);
  spec.branches = o.branches;
  if (o.frame_pointers) spec.chains = SampleSpec::Chains::frame_pointers;
  if (o.call_graph)
    if (auto taken = take_call_graph(*o.call_graph, spec); !taken)
      return std::unexpected(taken.error());
  return spec;
}

}  // namespace tacho
