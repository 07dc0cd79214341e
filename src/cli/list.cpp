// tacho list: the events of this machine, and whether they open here.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/failure.hpp"
#include "cli/subcommands.hpp"
#include "doctor/event_listing.hpp"
#include "doctor/list_registers.hpp"
#include "doctor/list_simulated.hpp"
#include "events/catalogue.hpp"
#include "events/data_directories.hpp"
#include "events/pfm.hpp"
#include "pmu/choice/choose.hpp"
#include "pmu/choice/pmu_choice.hpp"
#include "report/output.hpp"

namespace tacho {
namespace {

constexpr std::string_view kTracepointSource = "tracepoint";

std::string_view subsystem(std::string_view tracepoint) {
  return tracepoint.substr(0, tracepoint.find(':'));
}

// Tried, not assumed: on the calling thread, or on every CPU for a PMU that counts CPUs only.
ListedEvent try_to_open(Pmu& pmu, const EventDescription& description) {
  ListedEvent listed{description.name, description.source, description.description, false, {}};
  auto event = pmu.resolve(description.name);
  if (!event) {
    listed.reason = event.error().what;
    return listed;
  }
  const Target target = event->cpus.empty() ? Target(Self{}) : Target(EveryCpu{});
  auto opened = pmu.open({&*event, 1}, target, Start::stopped);
  listed.opens = opened.has_value();
  if (!opened) listed.reason = opened.error().what;
  return listed;
}

// It is for the privileged alone, whatever becomes of the others.
bool stands_alone(const std::string& tracepoint) {
  return tracepoint == "ftrace:function";
}

// Of a subsystem's tracepoints the first is tried for all: to close one takes the kernel 40 ms.
std::vector<ListedEvent> try_all(Pmu& pmu, std::span<const EventDescription> described) {
  std::vector<ListedEvent> events;
  for (const EventDescription& event : described) {
    const bool like_last = event.source == kTracepointSource && !events.empty() &&
                           events.back().source == event.source && !stands_alone(event.name) &&
                           !stands_alone(events.back().name) &&
                           subsystem(events.back().name) == subsystem(event.name);
    if (!like_last) {
      events.push_back(try_to_open(pmu, event));
      continue;
    }
    const ListedEvent& last = events.back();
    events.push_back({event.name, event.source, event.description, last.opens, last.reason});
  }
  return events;
}

// The exit status; `remedy` is for a pattern that no event's name contains.
int print(std::span<const ListedEvent> events, std::span<const ListedModel> models, bool json,
          const std::string& pattern, const std::string& remedy) {
  if (json || !events.empty())
    if (auto written = Output::to_stdout().write(json ? listing_json(events, models, TACHO_VERSION)
                                                      : listing_text(events, models));
        !written)
      return fail(written.error());
  if (!events.empty()) return 0;
  return fail({.what = "no event's name contains '" + pattern + "'", .remedy = remedy}, 1);
}

int run_simulated(const std::string& pattern, std::string_view model, bool json) {
  auto listing = simulated_listing(pattern, model);
  if (!listing) return fail(listing.error());
  return print(listing->events, listing->models, json, pattern,
               "'tacho list --pmu simulated' without a pattern shows all");
}

Result<std::vector<EventDescription>> descriptions(const Catalogue& catalogue,
                                                   const std::string& pattern,
                                                   const std::string& kind) {
  if (kind == kRegistersKind) return register_events(pattern);
  return catalogue.list(pattern);
}

int run_list(const std::string& pattern, const std::string& kind, bool json) {
  if (const auto model = simulated_model(kind)) return run_simulated(pattern, *model, json);
  const Catalogue catalogue;
  auto pmu = choose_pmu({.kind = kind, .model = {}, .cores = known_cores}, catalogue);
  const auto described =
      pmu ? descriptions(catalogue, pattern, kind) : std::unexpected(pmu.error());
  if (!described) return fail(described.error());
  const std::vector<ListedEvent> events = try_all(**pmu, *described);
  std::string remedy =
      "'tacho list' without a pattern shows all; tracepoints need tracefs mounted and readable";
  if (!pfm_absence().empty()) (remedy += "; ") += pfm_absence();
  return print(events, {}, json, pattern, remedy);
}

}  // namespace

void add_list(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  struct Options {
    std::string pattern;
    std::string pmu = "auto";
    bool json = false;
  };
  CLI::App* list =
      program.add_subcommand("list", "List the events of this machine, and whether they open here");
  list->footer("Exit status: 0; 1 when no name matches; 125 when tacho itself failed.");
  auto options = std::make_shared<Options>();
  list->add_option("PATTERN", options->pattern, "Part of a name, or a pattern with * and ?");
  list->add_option("--pmu", options->pmu, "What counts: as in 'tacho stat'; simulated[:MODEL]")
      ->type_name("KIND");
  list->add_flag("--json", options->json, "As JSON, schema 1");
  list->callback(
      [options, &status] { status = run_list(options->pattern, options->pmu, options->json); });
}

}  // namespace tacho
