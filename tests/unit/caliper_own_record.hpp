// A record of ticks and one event, for tests that add values themselves. It grows as Registry does
// it.
#pragma once

#include <cstdint>

#include "caliper/record.hpp"
#include "caliper/totals.hpp"

namespace tacho {

class OwnRecord {
 public:
  caliper::Record* operator->() const { return record_; }
  caliper::Record& operator*() const { return *record_; }

  void add_event(std::uint64_t event) { add(1, event); }
  // Ends an execution.
  void add_ticks(std::uint64_t ticks) {
    record_->begun.add(1);
    add(0, ticks);
    if (record_->is_full()) record_ = caliper::move_to_sketches(*record_);
  }
  void execute(std::uint64_t ticks, std::uint64_t event) {
    add_event(event);
    add_ticks(ticks);
  }
  caliper::Sum sum_of(std::size_t quantity, const caliper::OwnCost& cost = {},
                      const caliper::Inner& inner = {}) const {
    caliper::Sum sum;
    sum.add(*record_, quantity, cost, inner);
    return sum;
  }

 private:
  void add(std::size_t quantity, std::uint64_t value) {
    if (record_->has_sketches())
      record_->add(quantity, value);
    else
      record_->add_first(quantity, value);
  }

  caliper::RecordRoom room_;
  caliper::Record* record_ = room_.make(1, false);
};

}  // namespace tacho
