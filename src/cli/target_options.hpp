// The options of `tacho stat` and `tacho record` that name what runs already.
#pragma once

#include <string>

#include "process/asked_targets.hpp"

namespace CLI {
class App;
}

namespace tacho {

// `verb`: "Count" or "Sample".
void declare(CLI::App& subcommand, AskedTargets& targets, const std::string& verb);

}  // namespace tacho
