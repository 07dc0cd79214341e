// What `tacho latency` was asked to do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "latency/chase/kernels.hpp"
#include "latency/inference/latency.hpp"

namespace CLI {
class App;
}

namespace tacho {

struct LatencyOptions {
  std::optional<std::string> most;   // --max-size; none: as suits the machine
  std::optional<std::string> sizes;  // --sizes, a list; none: chosen, with more of them at edges
  std::string pages = "both";
  std::optional<int> cpu;
  unsigned parallel = 0;  // chases at once, at most; 0: one
  bool loaded = false;
  bool write = false;
  bool atomic = false;
  bool cores = false;
  std::vector<std::string> events;  // each a list
  std::string pmu = "auto";
  std::string samples;  // file; empty: none
  std::string plot;
  std::string output;
  bool json = false;
  bool csv = false;
  std::optional<std::string> walk;  // only walk a list: a workload
};

void declare(CLI::App& subcommand, LatencyOptions& options);

// What each step of a list does, by --write and --atomic.
chase::Access access_of(const LatencyOptions& options);

// Options that exclude or need each other, and values that no machine has. The error names them.
Result<void> check(const LatencyOptions& options);

// What --max-size and --sizes ask for.
struct AskedSizes {
  std::optional<std::size_t> most;
  std::vector<std::size_t> sizes;
};
Result<AskedSizes> asked_sizes(const LatencyOptions& options);

// A list and how far to walk it: --walk BYTES,STEPS[,LINE[,spread]], where BYTES are those of its
// lines.
struct Walk {
  std::size_t bytes = 0;
  std::size_t steps = 0;
  std::size_t line_bytes = 64;
  Layout layout = Layout::packed;
  chase::Access access = chase::Access::load;
  bool huge_pages = false;
};
// What --walk, --write, --atomic and --pages ask for.
Result<Walk> walk_of(const LatencyOptions& options);
// What asks `tacho latency` for it.
std::vector<std::string> arguments_of(const Walk& walk);

}  // namespace tacho
