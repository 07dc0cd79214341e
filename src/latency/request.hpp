// What `tacho latency` is asked to measure, as plain values.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "latency/chase/kernels.hpp"
#include "pmu/choice/make_pmu.hpp"

namespace tacho {

enum class PageSizes { small, huge, both };

struct LatencyRequest {
  // Bytes of the largest list; none: well beyond the last cache.
  std::optional<std::size_t> most_bytes = {};
  // Bytes of the lists, by rising size; empty: chosen, with more of them at edges.
  std::vector<std::size_t> sizes = {};
  PageSizes pages = PageSizes::both;
  std::optional<int> cpu = {};  // none: the one that the calling thread runs on
  unsigned parallel = 0;        // most lists to walk at once; 0: parallel walks are not measured
  bool loaded = false;          // all other CPUs read and write memory meanwhile
  chase::Access access = chase::Access::load;
  std::vector<std::string> events = {};  // each a list of events, as for `tacho stat -e`
  PmuChoice pmu = {};  // counts the events; if it has a model, that processor is measured instead
};

// Takes one line for people about what is measured now; an empty one removes the last.
using LatencyProgress = std::function<void(const std::string& line)>;

}  // namespace tacho
