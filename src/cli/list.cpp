// tacho list: the events of this machine, and whether they open here.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/failure.hpp"
#include "cli/reading_options.hpp"
#include "cli/subcommands.hpp"
#include "doctor/list_events.hpp"
#include "help/option_value.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "report/output.hpp"
#include "report/terminal.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

struct ListOptions {
  std::string pattern;
  std::string pmu = "auto";
  bool json = false;
  bool full_names = false;
};

int run_list(const ListOptions& options) {
  const auto listing = list_events(options.pattern, options.pmu);
  if (!listing) return fail(listing.error());
  if (options.json || !listing->events.empty())
    if (auto written = Output::to_stdout().write(
            options.json ? listing_json(listing->events, listing->models, TACHO_VERSION_STRING)
                         : listing_text(listing->events, listing->models,
                                        report_style("", options.full_names).width));
        !written)
      return fail(written.error());
  if (!listing->events.empty()) return 0;
  const std::string where = options.pmu == "auto" ? "" : "with --pmu " + options.pmu + ", ";
  return fail({.what = where + "no event's name contains '" + options.pattern + "'",
               .remedy = listing->remedy},
              1);
}

}  // namespace

void add_list(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* list =
      program.add_subcommand("list", "List the events of this machine, and whether they open here");
  list->footer("Exit status: 0; 1 when no name matches; 125 when tacho itself failed.");
  auto options = std::make_shared<ListOptions>();
  list->add_option("PATTERN", options->pattern, "Part of a name, or a pattern with * and ?");
  list->add_option("--pmu", options->pmu,
                   "The events of this PMU: as in 'tacho stat'; simulated[:MODEL]")
      ->type_name("KIND")
      ->check(offers(pmu_words_with_models));
  list->add_flag("--json", options->json, "As JSON, schema 1");
  add_full_names(*list, options->full_names);
  list->callback([options, &status] { status = run_list(*options); });
}

}  // namespace tacho
