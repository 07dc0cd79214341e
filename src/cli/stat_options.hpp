// The options of `tacho stat`, and of rpistat, which has fewer.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "stat/request.hpp"

namespace CLI {
class App;
}

namespace tacho {

struct StatOptions {
  StatRequest request;
  std::vector<std::string> command;
  bool json = false;
  bool csv = false;
  bool detailed = false;
  bool older_name = false;  // called as rpistat
};

// Declares the options on the subcommand, to be parsed into `options`.
void declare(CLI::App& subcommand, StatOptions& options);
// The options that a report with rows has: all that rpistat has.
void declare_of_rows(CLI::App& app, StatOptions& options);

// The request, whole. An error when options exclude or need each other; it names both.
Result<StatRequest> request_of(const StatOptions& options);

}  // namespace tacho
