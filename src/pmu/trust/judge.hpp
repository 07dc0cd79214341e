// Decides whether the counts of a core's PMU are plausible. Before its first use, an event counts a
// loop with known work. An event without a suitable loop shares the judgement of another event.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"
#include "pmu/trust/belief.hpp"

namespace tacho {

// The counts of the yardstick's loop by a group of one event, which is off.
Result<Trial> count_loop(CounterGroup& group, const Yardstick& yardstick);

// Judges each event once. The first time takes an open and about 20 µs of loop. Not thread-safe.
class Judge {
 public:
  // Counts an event over its yardstick's loop; an error if that can't be tried. On unequal cores,
  // the generic event names the PMU by its type (events/core_parts.hpp).
  using Try = std::function<Result<Trial>(const Event&, const Yardstick&)>;
  explicit Judge(Try attempt) : try_(std::move(attempt)) {}

  // Why the counts of a core event are implausible; nothing if they are not, or if nothing could be
  // tried. Modifiers make no difference.
  std::optional<std::string> doubt(const Event& event);

  // The judgement of the yardstick's event on the PMU of the event `like`.
  const Judgement& judgement(const Yardstick& yardstick, const Event& like = {});

 private:
  Judgement judge_now(const Yardstick& yardstick, const Event& like, std::uint64_t pmu) const;

  Try try_;
  std::map<std::pair<const Yardstick*, std::uint64_t>, Judgement> judged_;
};

}  // namespace tacho
