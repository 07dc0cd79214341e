// tacho list: the events of this machine, and whether they open here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "events/catalogue.hpp"
#include "pmu/choose.hpp"

namespace tacho {
namespace {

struct Row {
  EventDescription event;
  bool opens = false;
  std::string reason;
};

// Tried, not assumed: on the calling thread, or on every CPU for a PMU that counts CPUs only.
Row try_event(Pmu& pmu, const EventDescription& description) {
  Row row{.event = description, .opens = false, .reason = {}};
  auto event = pmu.resolve(description.name);
  if (!event) {
    row.reason = event.error().what;
    return row;
  }
  const Target target = event->cpus.empty() ? Target(Self{}) : Target(EveryCpu{});
  auto opened = pmu.open({&*event, 1}, target, Start::stopped);
  row.opens = opened.has_value();
  if (!opened) row.reason = opened.error().what;
  return row;
}

std::string as_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const Row& row : rows)
    events.push_back(
        {{"name", row.event.name},
         {"source", row.event.source},
         {"description", row.event.description},
         {"opens", row.opens},
         {"reason", row.opens ? nlohmann::ordered_json() : nlohmann::ordered_json(row.reason)}});
  return nlohmann::ordered_json{{"events", events}}.dump(
             2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

std::string as_text(const std::vector<Row>& rows) {
  std::size_t name_width = 0;
  std::size_t source_width = 0;
  for (const Row& row : rows) {
    name_width = std::min<std::size_t>(44, std::max(name_width, row.event.name.size()));
    source_width = std::max(source_width, row.event.source.size());
  }
  std::string text;
  std::vector<std::string> reasons;  // numbered, said once below the table
  for (const Row& row : rows) {
    std::string opens = "yes";
    if (!row.opens) {
      auto known = std::ranges::find(reasons, row.reason);
      if (known == reasons.end()) known = reasons.insert(known, row.reason);
      opens = fmt::format("no [{}]", known - reasons.begin() + 1);
    }
    text += fmt::format("{:<{}}  {:<{}}  {:<7} {}\n", row.event.name, name_width, row.event.source,
                        source_width, opens, row.event.description);
  }
  if (!reasons.empty()) text += "\nDoes not open here because\n";
  for (std::size_t i = 0; i < reasons.size(); ++i)
    text += fmt::format("  [{}] {}\n", i + 1, reasons[i]);
  return text;
}

int run(const std::string& pattern, const std::string& kind, bool json) {
  const Catalogue catalogue;
  auto pmu = choose_pmu(kind, catalogue);
  if (!pmu) {
    say_error(pmu.error());
    return kOwnFailure;
  }
  std::vector<Row> rows;
  for (const EventDescription& event : catalogue.list(pattern))
    rows.push_back(try_event(**pmu, event));
  if (rows.empty() && !json) {
    say_error({.what = fmt::format("no event's name contains '{}'", pattern),
               .remedy = "'tacho list' without a pattern shows all; tracepoints need tracefs "
                         "mounted and readable"});
    return 1;
  }
  auto written = Output::to_stdout().write(json ? as_json(rows) : as_text(rows));
  if (written) return 0;
  say_error(written.error());
  return kOwnFailure;
}

}  // namespace

void add_list(CLI::App& program, int& status) {
  struct Options {
    std::string pattern;
    std::string pmu = "auto";
    bool json = false;
  };
  CLI::App* list =
      program.add_subcommand("list", "List the events of this machine, and whether they open here");
  auto options = std::make_shared<Options>();
  list->add_option("PATTERN", options->pattern, "Part of a name, or a pattern with * and ?");
  list->add_option("--pmu", options->pmu, "What counts: as in 'tacho stat'")->type_name("KIND");
  list->add_flag("--json", options->json, "As JSON, schema 1");
  list->callback(
      [options, &status] { status = run(options->pattern, options->pmu, options->json); });
}

}  // namespace tacho
