// The options of `tacho stat` and `tacho record` for a part of a run.
#pragma once

#include "process/part_of_run.hpp"

namespace CLI {
class App;
}

namespace tacho {

void declare(CLI::App& subcommand, PartOfRun& part);

}  // namespace tacho
