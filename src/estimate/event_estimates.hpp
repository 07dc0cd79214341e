// Computes one estimate an event from a Measurement, and keeps the error terms that metrics need.
#pragma once

#include <vector>

#include "estimate/caveat.hpp"
#include "estimate/summary.hpp"
#include "stats/measurement.hpp"
#include "stats/ratio.hpp"

namespace tacho {

struct EventEstimate {
  EventSummary summary;
  RatioEstimate ratio;              // of a turned event; its pulls are in counts
  const SetTurns* turns = nullptr;  // of a turned event; points into Estimates::sets
  double scale = 1;                 // one count in the event's unit
  bool elsewhere = false;           // counted on other CPUs than this part's (Duty::elsewhere)
};

struct Estimates {
  std::vector<SetTurns> sets;         // in the Measurement's order
  std::vector<EventEstimate> events;  // in the Measurement's order
  std::vector<Caveat> caveats;
};

Estimates estimate_events(const Measurement&);

}  // namespace tacho
