// The rates of the events over time, and the phases in them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "report/schema.hpp"
#include "stats/measurement.hpp"

namespace tacho {

class RatesOverTime {
 public:
  // A stretch of time in which the event was counted. `rate` is in the event's unit per second.
  void add(const std::string& event, double start_s, double end_s, double rate);
  // The events that were counted in the period.
  void add(const Measurement&, const Period&, std::span<const std::uint64_t> always);

  // The events whose rate changed, each with its phases (change_points()). The risk that a phase is
  // shown which is none is 1 % for all events together, if their periods are independent.
  Json phases() const;

 private:
  struct Stretches {
    std::vector<double> start_s, end_s, rate;
  };

  std::map<std::string, Stretches> events_;
};

}  // namespace tacho
