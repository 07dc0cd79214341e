// Which events of the core's PMU can be believed: each is held against a loop whose work is known
// before its first use, or shares the judgement of an event that can be.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"
#include "pmu/trust/yardstick.hpp"

namespace tacho {

// What a group of one event, which is off, counts over the yardstick's loop.
Result<Trial> count_loop(CounterGroup& group, const Yardstick& yardstick);

// Judges events, each once: the first time costs an open and about 20 µs of loop. Not thread-safe.
class Judge {
 public:
  // Counts an event over its yardstick's loop; an error when that could not be tried.
  using Try = std::function<Result<Trial>(const Event&, const Yardstick&)>;
  explicit Judge(Try attempt) : try_(std::move(attempt)) {}

  // Why a core event is not believed; nothing when it is, or when nothing could be tried. Modifiers
  // don't matter.
  std::optional<std::string> doubt(const Event& event);

  // Of the event that `yardstick` measures, on the PMU that `like` names.
  const Judgement& judgement(const Yardstick& yardstick, const Event& like = {});

 private:
  Judgement judge_now(const Yardstick& yardstick, std::uint64_t pmu) const;

  Try try_;
  std::map<std::pair<const Yardstick*, std::uint64_t>, Judgement> judged_;
};

}  // namespace tacho
