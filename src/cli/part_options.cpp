#include "cli/part_options.hpp"

#include <CLI/CLI.hpp>

#include "help/option_value.hpp"

namespace tacho {

void declare(CLI::App& subcommand, PartOfRun& part) {
  subcommand
      .add_option("-D,--delay", part.delay_ms,
                  "Begin to count MS milliseconds after the start; -1: when 'enable' comes from "
                  "--control")
      ->type_name("MS")
      ->transform(decimal(-1.0, 86'400'000.0));
  subcommand
      .add_option("--control", part.control,
                  "Obey commands from there: enable, disable, stop, ping. fd:N[,M] or "
                  "fifo:FILE[,FILE]; the second one gets 'ack' for each. Or program: the command "
                  "sends them by tacho's library (tacho/control.hpp)")
      ->type_name("CHANNEL");
  subcommand
      .add_option("--in-region", part.in_region,
                  "Count only while a process of the command runs this region, which it has named "
                  "with tacho's library (docs/how-to/measure-regions.md)")
      ->type_name("NAME");
}

}  // namespace tacho
