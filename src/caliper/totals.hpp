// Totals: the figures of a region, added up over threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caliper/distribution.hpp"
#include "caliper/thread.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {

// The sums of one quantity.
struct Sum {
  std::uint64_t executions = 0;
  std::uint64_t sum = 0;
  double cost = 0;        // of all executions: not yet subtracted from `sum`
  double inner_cost = 0;  // of the executions inside them: already subtracted
  double outweighed = 0;  // the part of `inner_cost` in executions of which less was left
  std::uint64_t minimum = ~std::uint64_t{0};
  std::uint64_t maximum = 0;
  Distribution values;

  // `inner` are the executions inside those of the record.
  void add(const Record& record, std::size_t quantity, const OwnCost& cost_of_one,
           const Inner& inner);
  // Computes the figures of single executions, and their total. The cost is subtracted.
  void describe(Quantity& quantity) const;
};

struct Totals {
  std::uint64_t begun = 0;
  std::uint64_t recursions = 0;
  std::uint64_t threads = 0;
  std::uint64_t reference = 0;
  std::uint64_t inner_ticks = 0;
  const void* left_open_by = nullptr;  // see Record
  Sum ticks;
  struct EventTotals {
    Sum sum;
    std::vector<Period> turns;
    std::optional<Error> refused;  // in a thread
  };
  std::vector<EventTotals> events;
  struct NoteTotals {
    std::string name;
    Sum sum;
  };
  std::vector<NoteTotals> notes;

  // `doubt`: why the counts of the thread must not be believed, if there is a reason.
  void add(const Record& record, const Thread& thread, const std::optional<Error>& doubt);
  // `counting` is null if the regions count no events.
  // The quantities are the ticks, the events, and the notes.
  RegionFigures figures(std::string name, const CountingPlan* counting) const;

 private:
  void add_events(RegionFigures& figures, const CountingPlan& counting) const;
};

}  // namespace tacho::caliper
