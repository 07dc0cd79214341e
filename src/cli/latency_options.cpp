#include "cli/latency_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>

#include "help/option_value.hpp"
#include "latency/byte_size.hpp"
#include "pmu/choice/pmu_option.hpp"

namespace tacho {
namespace {

chase::Access access_of(const LatencyOptions& o) {
  if (o.write) return chase::Access::write;
  return o.atomic ? chase::Access::atomic : chase::Access::load;
}

PageSizes pages_of(const LatencyOptions& o) {
  if (o.pages == "small") return PageSizes::small;
  return o.pages == "huge" ? PageSizes::huge : PageSizes::both;
}

}  // namespace

void declare(CLI::App& latency, LatencyOptions& o) {
  latency
      .add_option("--max-size", o.most,
                  "The largest list, such as 256M (default: well beyond the last cache, at most a "
                  "quarter of the free memory)")
      ->type_name("BYTES");
  latency.add_option("--sizes", o.sizes, "Only these sizes, such as 16K,1M,64M, each twice")
      ->type_name("LIST");
  latency.add_option("--pages", o.pages, "Pages of the lists (default: both)")
      ->type_name("small|huge|both")
      ->transform(one_of({"small", "huge", "both"}));
  latency.add_option("--cpu", o.cpu, "The CPU to measure (default: the one that runs this)")
      ->type_name("N")
      ->transform(decimal(0, 8191));
  latency
      .add_option(
          "--parallel", o.parallel,
          "Also walks 1 to N lists at once: the time of loads that do not wait for each other")
      ->type_name("N")
      ->transform(decimal(1U, static_cast<unsigned>(chase::kMostChases)));
  latency.add_flag("--loaded", o.loaded, "While all other CPUs read and write memory");
  latency.add_flag("--write", o.write, "Each access also writes to the line");
  latency.add_flag("--atomic", o.atomic, "Each access is an atomic addition");
  latency.add_flag("--cores", o.cores,
                   "Instead: the time to hand a line from each CPU to each other one and back");
  latency
      .add_option(
          "--events", o.events,
          "Also events for each access, at the sizes of --sizes or at powers of two: perf's "
          "names, separated by commas")
      ->type_name("EVENTS");
  latency
      .add_option("--pmu", o.pmu,
                  "The PMU that counts them, as for 'tacho stat'; simulated:MODEL measures that "
                  "processor instead of this one")
      ->type_name("KIND")
      ->check(offers(pmu_words_with_models));
  latency
      .add_option("--samples", o.files.samples, "Writes the histograms of every list here, as CSV")
      ->type_name("FILE");
  latency
      .add_option("--plot", o.files.plot,
                  "Draws a picture with gnuplot; its data and script stay beside it")
      ->type_name("FILE.svg|png");
  latency.add_option("--html", o.files.page, "Also write a page for a browser")->type_name("FILE");
  latency.add_option("-o,--output", o.files.result, "Writes the result here instead of to stdout")
      ->type_name("FILE");
  latency.add_flag("--json", o.json, "Result as JSON, schema 1");
  latency.add_flag("--csv", o.csv, "Result as CSV");
  latency
      .add_option(
          "--walk", o.walk,
          "Instead: only walks a list of BYTES for STEPS steps, in lines of LINE (64) bytes; "
          "--write, --atomic and --pages apply. A workload for other tools")
      ->type_name("BYTES,STEPS[,LINE[,spread]]");
}

Result<void> check(const LatencyOptions& o) {
  const auto both = [](std::string_view a, std::string_view b) {
    return failure(fmt::format("{} and {} exclude each other", a, b), "give one of them");
  };
  if (o.json && o.csv) return both("--json", "--csv");
  if (o.write && o.atomic) return both("--write", "--atomic");
  if (o.sizes && o.most) return both("--sizes", "--max-size");
  const bool simulated = simulated_model(o.pmu).has_value();
  const struct {
    std::string_view name;
    bool given;
    bool of_levels;        // not with --cores
    bool of_this_machine;  // not with a simulated one
    bool of_walk = false;
  } all[] = {{"--max-size", o.most.has_value(), true, false},
             {"--sizes", o.sizes.has_value(), true, false},
             {"--pages", o.pages != "both", true, true, true},
             {"--cpu", o.cpu.has_value(), true, true},
             {"--parallel", o.parallel != 0, true, true},
             {"--loaded", o.loaded, true, true},
             {"--write", o.write, true, true, true},
             {"--atomic", o.atomic, true, true, true},
             {"--events", !o.events.empty(), true, false},
             {"--pmu simulated", simulated, true, false},
             {"--samples", !o.files.samples.empty(), true, false},
             {"--plot", !o.files.plot.empty(), true, false},
             {"--cores", o.cores, false, false},
             {"--html", !o.files.page.empty(), false, false},
             {"--output", !o.files.result.empty(), false, false},
             {"--json", o.json, false, false},
             {"--csv", o.csv, false, false}};
  for (const auto& [name, given, of_levels, of_this_machine, of_walk] : all) {
    if (!given) continue;
    if (o.walk && !of_walk) return both("--walk", name);
    if (o.cores && of_levels) return both("--cores", name);
    if (simulated && of_this_machine) return both("--pmu simulated", name);
  }
  if (o.pmu != "auto" && !simulated && o.events.empty())
    return failure("--pmu needs events to count",
                   "give --events, such as --events cache-misses,dTLB-load-misses");
  if (!o.files.plot.empty() && !o.files.plot.ends_with(".svg") && !o.files.plot.ends_with(".png"))
    return failure(
        fmt::format("cannot draw '{}': its name ends in neither .svg nor .png", o.files.plot),
        "choose one of the two");
  return {};
}

Format LatencyOptions::format() const {
  if (json) return Format::json;
  return csv ? Format::csv : Format::text;
}

Result<LatencyRequest> request_of(const LatencyOptions& o) {
  LatencyRequest request{.pages = pages_of(o),
                         .cpu = o.cpu,
                         .parallel = o.parallel,
                         .loaded = o.loaded,
                         .access = access_of(o),
                         .events = o.events};
  request.pmu = TACHO_TRY(parse_pmu_option(o.pmu));
  if (o.most) request.most_bytes = TACHO_TRY(parse_bytes("--max-size", *o.most));
  if (o.sizes) request.sizes = TACHO_TRY(parse_byte_list("--sizes", *o.sizes));
  return request;
}

Result<Walk> walk_of(const LatencyOptions& o) {
  const std::string& text = o.walk.value();
  const auto wrong = [&] {
    return failure(fmt::format("--walk '{}' is not BYTES,STEPS[,LINE[,spread]]", text),
                   "such as --walk 1M,1000000");
  };
  const auto parts = parts_of(text);
  if (parts.size() < 2 || parts.size() > 4 || (parts.size() == 4 && parts[3] != "spread"))
    return wrong();
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 3); ++i)
    numbers.push_back(TACHO_TRY(parse_bytes("--walk", parts[i])));
  Walk walk{.bytes = numbers[0],
            .steps = numbers[1],
            .access = access_of(o),
            .huge_pages = pages_of(o) == PageSizes::huge};
  if (numbers.size() > 2) walk.line_bytes = numbers[2];
  if (parts.size() == 4) walk.layout = Layout::spread;
  if (!std::has_single_bit(walk.line_bytes) || walk.line_bytes < 2 * sizeof(void*) ||
      walk.line_bytes > 4096)
    return wrong();
  return walk;
}

}  // namespace tacho
