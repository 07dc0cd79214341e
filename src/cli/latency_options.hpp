// The options of `tacho latency`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "latency/report/latency_output.hpp"
#include "latency/request.hpp"
#include "latency/walk.hpp"
#include "report/format.hpp"

namespace CLI {
class App;
}

namespace tacho {

struct LatencyOptions {
  std::optional<std::string> most;   // --max-size
  std::optional<std::string> sizes;  // --sizes
  std::optional<std::string> walk;   // --walk
  std::string pages = "both";
  std::optional<int> cpu;
  unsigned parallel = 0;
  bool loaded = false;
  bool write = false;
  bool atomic = false;
  bool cores = false;
  std::vector<std::string> events;
  std::string pmu = "auto";
  LatencyFiles files;
  bool json = false;
  bool csv = false;

  Format format() const;
};

void declare(CLI::App& subcommand, LatencyOptions& options);

// Options that exclude or need each other. The error names them.
Result<void> check(const LatencyOptions& options);

Result<LatencyRequest> request_of(const LatencyOptions& options);

// Of --walk, --write, --atomic and --pages. Requires --walk.
Result<Walk> walk_of(const LatencyOptions& options);

}  // namespace tacho
