#include "cli/latency_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "cli/option_value.hpp"
#include "pmu/choice/pmu_option.hpp"

namespace tacho {
namespace {

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// "64K", "1.5M", "2G" or "65536", with an optional B or iB behind; more than 0. `option` is whose
// value it is.
Result<std::size_t> parse_bytes(std::string_view option, std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return failure(fmt::format("{} '{}': {}", option, text, why),
                   "give a size such as 65536, 64K, 256M or 1G");
  };
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error == std::errc::result_out_of_range) return wrong("is more than any memory has");
  if (error != std::errc{} || !std::isfinite(value)) return wrong("is not a size");
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::string_view kUnits = "KMGT";
  if (!unit.empty()) {
    const std::size_t power = kUnits.find(static_cast<char>(unit.front() & ~0x20));
    if (power != kUnits.npos) {
      value = std::ldexp(value, 10 * static_cast<int>(power + 1));
      unit.remove_prefix(1);
    }
    if (!unit.empty() && unit != "B" && unit != "iB") return wrong("is not a size");
  }
  if (value < 0) return wrong("is less than nothing");
  if (value < 1) return wrong("is nothing");
  if (value >= static_cast<double>(SIZE_MAX / 4)) return wrong("is more than any memory has");
  return static_cast<std::size_t>(value);
}

// Several of them, separated by commas, in rising order.
Result<std::vector<std::size_t>> parse_sizes(std::string_view option, std::string_view text) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::size_t> sizes;
  for (const std::string_view part : parts_of(text)) {
    const auto size = parse_bytes(option, part);
    if (!size) return std::unexpected(size.error());
    sizes.push_back(*size);
  }
  if (sizes.size() > kMost) return failure(fmt::format("{} has more than {} sizes", option, kMost));
  std::ranges::sort(sizes);
  const auto twice = std::ranges::unique(sizes);
  sizes.erase(twice.begin(), twice.end());
  return sizes;
}

}  // namespace

void declare(CLI::App& latency, LatencyOptions& o) {
  latency
      .add_option("--max-size", o.most,
                  "The largest list, such as 256M (default: far enough behind the last cache, "
                  "at most a quarter of the free memory)")
      ->type_name("BYTES");
  latency
      .add_option("--sizes", o.sizes,
                  "Only these sizes, such as 16K,1M,64M, and no more of them at edges")
      ->type_name("LIST");
  latency.add_option("--pages", o.pages, "Pages of the lists (default: both)")
      ->type_name("small|huge|both")
      ->transform(one_of({"small", "huge", "both"}));
  latency.add_option("--cpu", o.cpu, "The CPU to measure (default: the one that runs this)")
      ->type_name("N")
      ->transform(decimal(0, 8191));
  latency
      .add_option("--parallel", o.parallel,
                  "Also up to N independent chases at once: what loads cost that need not wait "
                  "for each other")
      ->type_name("N")
      ->transform(decimal(1U, static_cast<unsigned>(chase::kMostChases)));
  latency.add_flag("--loaded", o.loaded, "While all other CPUs read and write memory");
  latency.add_flag("--write", o.write, "Each access also writes into the line");
  latency.add_flag("--atomic", o.atomic, "Each access is an atomic addition");
  latency.add_flag("--cores", o.cores,
                   "Instead: a line's way from each CPU to each other one and back");
  latency
      .add_option("--events", o.events,
                  "Also events for each access at the sizes asked for, or else at powers of two: "
                  "perf's names, separated by commas")
      ->type_name("EVENTS");
  latency
      .add_option("--pmu", o.pmu,
                  "What counts them, as for 'tacho stat'. simulated:MODEL measures that "
                  "processor instead of this one")
      ->type_name("KIND");
  latency.add_option("--samples", o.samples, "Every size's histogram, as CSV")->type_name("FILE");
  latency
      .add_option("--plot", o.plot,
                  "Draw it by gnuplot; the data and the script stay beside the picture")
      ->type_name("FILE.svg|png");
  latency.add_option("-o,--output", o.output, "Write the result here instead of stdout")
      ->type_name("FILE");
  latency.add_flag("--json", o.json, "Result as JSON, schema 1");
  latency.add_flag("--csv", o.csv, "Result as CSV");
  latency
      .add_option("--walk", o.walk,
                  "Instead: only walk a list of BYTES in lines of LINE (64) for STEPS steps, as "
                  "--write, --atomic and --pages say; a workload for other tools")
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
    bool of_memory;        // of a measurement of levels: not of --cores
    bool of_this_machine;  // not of a simulated one
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
             {"--samples", !o.samples.empty(), true, false},
             {"--plot", !o.plot.empty(), true, false},
             {"--cores", o.cores, false, false},
             {"--output", !o.output.empty(), false, false},
             {"--json", o.json, false, false},
             {"--csv", o.csv, false, false}};
  for (const auto& [name, given, of_memory, of_this_machine, of_walk] : all) {
    if (!given) continue;
    if (o.walk && !of_walk) return both("--walk", name);
    if (o.cores && of_memory) return both("--cores", name);
    if (simulated && of_this_machine) return both("--pmu simulated", name);
  }
  if (o.pmu != "auto" && !simulated && o.events.empty())
    return failure("--pmu needs events to count",
                   "give --events, such as --events cache-misses,dTLB-load-misses");
  if (!o.plot.empty() && !o.plot.ends_with(".svg") && !o.plot.ends_with(".png"))
    return failure(fmt::format("cannot draw '{}': its ending is neither .svg nor .png", o.plot),
                   "choose one of the two");
  return {};
}

chase::Access access_of(const LatencyOptions& o) {
  return o.write ? chase::Access::write : o.atomic ? chase::Access::atomic : chase::Access::load;
}

Result<AskedSizes> asked_sizes(const LatencyOptions& o) {
  AskedSizes asked;
  if (o.most) {
    const auto most = parse_bytes("--max-size", *o.most);
    if (!most) return std::unexpected(most.error());
    asked.most = *most;
  }
  if (o.sizes) {
    auto sizes = parse_sizes("--sizes", *o.sizes);
    if (!sizes) return std::unexpected(sizes.error());
    asked.sizes = std::move(*sizes);
  }
  return asked;
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
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 3); ++i) {
    const auto number = parse_bytes("--walk", parts[i]);
    if (!number) return std::unexpected(number.error());
    numbers.push_back(*number);
  }
  Walk walk{.bytes = numbers[0],
            .steps = numbers[1],
            .access = access_of(o),
            .huge_pages = o.pages == "huge"};
  if (numbers.size() > 2) walk.line_bytes = numbers[2];
  if (parts.size() == 4) walk.layout = Layout::spread;
  if (!std::has_single_bit(walk.line_bytes) || walk.line_bytes < 2 * sizeof(void*) ||
      walk.line_bytes > 4096)
    return wrong();
  return walk;
}

std::vector<std::string> arguments_of(const Walk& walk) {
  std::vector<std::string> arguments{
      "--walk", fmt::format("{},{},{}{}", walk.bytes, walk.steps, walk.line_bytes,
                            walk.layout == Layout::spread ? ",spread" : "")};
  if (walk.access == chase::Access::write) arguments.emplace_back("--write");
  if (walk.access == chase::Access::atomic) arguments.emplace_back("--atomic");
  if (walk.huge_pages) arguments.insert(arguments.end(), {"--pages", "huge"});
  return arguments;
}

}  // namespace tacho
