// A region's figures, added up over threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caliper/thread.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {

// One quantity's.
struct Sum {
  std::uint64_t executions = 0;
  std::uint64_t sum = 0;
  double cost = 0;        // of all executions: to be taken off the sum
  double inner_cost = 0;  // of the executions inside of them: has been taken off
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  std::vector<double> sketch;  // empty, or of Sketch::kBuckets

  // `inner` are the executions inside of the region's.
  void add(const Figures& figures, const OwnCost& cost_of_one, const Inner& inner);
  // The figures of single executions, without the cost; and the total of these executions.
  void describe(Quantity& quantity) const;
};

struct Totals {
  std::uint64_t begun = 0;
  std::uint64_t recursions = 0;
  std::uint64_t threads = 0;
  std::uint64_t reference = 0;
  Sum ticks;
  struct OfEvent {
    Sum sum;
    std::vector<Period> turns;
    std::optional<Error> refused;  // by a thread
  };
  std::vector<OfEvent> events;

  // `doubt`: why nothing that the thread counted is to be believed, if so.
  void add(const Record& record, const Thread& thread, const std::optional<Error>& doubt);
  // `counting` is what was to be counted, if anything.
  RegionFigures figures(std::string name, const Counting* counting) const;
};

}  // namespace tacho::caliper
