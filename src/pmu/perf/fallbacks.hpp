// Opens perf_event counters also where the kernel or the PMU refuses a part of what is asked for
// and the rest is still worth having: what perf does in evsel__fallback() and in its detection of
// missing features. The table of fallbacks is in fallbacks.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "events/event.hpp"
#include "pmu/perf/perf_open.hpp"

namespace tacho {

// What is passed to the kernel.
struct OpenAttempt {
  Event event;
  PerfOpen how;
};

// For whom a refusal holds, so that it need not be found out again.
enum class FallbackScope : std::uint8_t { kernel, pmu, event };

// One part that can be left out.
struct Fallback {
  std::string_view name;      // for tests and comments
  std::array<int, 3> errors;  // the values of errno after which it is tried; unused places are 0
  // EINVAL has many causes. If true, this part is one of them only until the PMU has accepted an
  // event with it.
  bool doubted_until_accepted = false;
  FallbackScope scope = FallbackScope::pmu;
  bool (*has)(const OpenAttempt&) = nullptr;  // whether the attempt has the part
  void (*leave_out)(OpenAttempt&) = nullptr;
  // What a user has to know; an empty text if the counts and samples mean the same without it.
  std::string (*notice)(const OpenAttempt& opened) = nullptr;
};

// The table, in the order in which the parts are left out.
std::span<const Fallback> fallbacks();

// The part to leave out after an error; null if there is none. `accepted` are the parts with which
// the PMU has accepted an event.
const Fallback* next_fallback(int code, const OpenAttempt& attempt,
                              const std::set<const Fallback*>& accepted);

// Opens events with fallbacks, and remembers what the kernel and each PMU refused, so that each
// refusal is met once and not for each CPU. Not thread-safe.
class FallbackOpener {
 public:
  using Open = std::function<Result<Fd>(const Event&, const PerfOpen&)>;
  explicit FallbackOpener(Open open) : open_(std::move(open)) {}

  // Opens the attempt, which becomes what was opened. If nothing helps, returns the last error, and
  // the attempt is as it was.
  Result<Fd> open(OpenAttempt& attempt);

  // What was left out so far and changes what the numbers mean: sentences for the user.
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  using Taken = std::vector<const Fallback*>;

  static Key key_of(FallbackScope scope, const OpenAttempt& attempt);
  void leave_out_known(OpenAttempt& attempt) const;
  Result<Fd> open_with_less(OpenAttempt& attempt, Error error);
  void remember(const Taken& taken, const OpenAttempt& asked, const OpenAttempt& opened);
  Error with_highest_precision(Error error, const OpenAttempt& attempt) const;

  Open open_;
  std::map<Key, Taken> known_;
  std::map<Key, std::set<const Fallback*>> accepted_;  // the parts that each PMU has accepted
  std::vector<std::string> notices_;
};

// The calling thread's opener, which calls perf_open(). Each thread has its own: the child of a
// fork would wait for ever for a lock that another thread held.
FallbackOpener& fallback_opener();

// Opens one counter with it: see FallbackOpener::open(). Errors have the causes of AMD, too.
Result<Fd> open_with_fallbacks(OpenAttempt& attempt);
// The same where the caller does not need to know what was left out.
Result<Fd> open_with_fallbacks(const Event& event, const PerfOpen& how);

}  // namespace tacho
