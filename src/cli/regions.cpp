// tacho regions: turns the regions of a running process on and off, and reports them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <limits>
#include <memory>

#include "cli/failure.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "help/help_format.hpp"
#include "page/page_output.hpp"
#include "process/check_process.hpp"
#include "regions/region_lines.hpp"
#include "regions/report.hpp"
#include "regions/running_process.hpp"
#include "report/output.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

struct RegionsCommand {
  pid_t pid = 0;
  std::string action;
  double wait_s = 10;
  bool json = false;
  std::string output, page;
};

Result<void> report_regions(RunningProcess& process, const RegionsCommand& command) {
  Output output = TACHO_TRY(Output::to_file(command.output.empty() ? "-" : command.output));
  std::optional<PageOutput> page;
  if (!command.page.empty()) page = TACHO_TRY(PageOutput::open(command.page));
  const std::chrono::duration<double> wait(command.wait_s);
  const std::string lines =
      TACHO_TRY(process.report(std::chrono::duration_cast<std::chrono::milliseconds>(wait)));
  const std::optional<Regions> regions = read_regions(lines);
  Workload workload;
  workload.command = {process.name()};
  std::string document;
  if (command.json || page) document = regions_json(regions, workload, TACHO_VERSION_STRING);
  TACHO_TRY(output.write(
      command.json ? document : region_text(regions, workload, 1, NumberStyle()).substr(1)));
  if (!page) return {};
  return page->write({.kind = "regions",
                      .title = "Regions of " + process.name(),
                      .how = "Measured by the program itself, with tacho's library.",
                      .facts = facts_of_this_machine(),
                      .warnings = region_warnings(regions, workload),
                      .document = document,
                      .more = {}},
                     notices());
}

Result<void> run_regions(const RegionsCommand& command) {
  TACHO_TRY(check_process(command.pid));
  RunningProcess process = TACHO_TRY(RunningProcess::open(command.pid));
  if (command.action == "report") return report_regions(process, command);
  if (command.json || !command.output.empty() || !command.page.empty())
    return failure("--json, --html and -o belong to a report", "leave them out");
  return process.turn(command.action == "on");
}

}  // namespace

void add_regions(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* regions = program.add_subcommand(
      "regions", "Turn the regions of a running process on or off, or report them");
  regions->footer(kOwnExitStatus);
  auto command = std::make_shared<RegionsCommand>();
  regions->add_option("-p,--pid", command->pid, "The process")
      ->type_name("PID")
      ->required()
      ->check(CLI::Range(1, std::numeric_limits<pid_t>::max()));
  regions->add_option("ACTION", command->action, "on, off or report")
      ->required()
      ->check(CLI::IsMember({"on", "off", "report"}));
  regions
      ->add_option("--wait", command->wait_s,
                   "How long a report may wait for the next begin of a region; default: 10")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e6));
  regions->add_flag("--json", command->json, "The report as JSON, schema 1");
  regions->add_option("--html", command->page, "Also write a page for a browser")
      ->type_name("FILE");
  regions->add_option("-o,--output", command->output, "Write the report here")->type_name("FILE");
  regions->callback([command, &status] {
    if (const auto done = run_regions(*command); !done) status = fail(done.error());
  });
}

}  // namespace tacho
