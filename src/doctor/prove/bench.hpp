// What a check of `tacho doctor --prove` works with: one PMU, its CPUs, the names of its events,
// and known work for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpus.hpp"
#include "base/result.hpp"
#include "doctor/prove/proof.hpp"
#include "events/catalogue.hpp"
#include "pmu/perf/perf_event.hpp"

namespace tacho::prove {

// A PMU of the cores, or the kernel's software events.
struct Subject {
  std::string pmu;      // its name in sysfs; "kernel" for software events; empty: there is none
  bool core = false;    // of the cores
  bool one_of = false;  // one of several PMUs of cores, so its events have to name it
  // An ARM PMU on which a generic event can't name the PMU (Linux before 6.6): events have numbers.
  bool numbered = false;
  std::vector<int> cpus;  // on which it counts and this process may run, sorted

  // The generic event on this PMU in user mode: "cycles:u", "cpu_atom/cycles/u",
  // "armv8_cortex_a53/event=0x11/u".
  std::string user_event(std::string_view generic) const;
};

// The PMUs of the cores that sysfs shows (one without a name if there is none), and the software
// events, which count on every CPU of `allowed`.
std::vector<Subject> find_subjects(const Catalogue& catalogue, const std::vector<int>& allowed);

// Finds out whether the subject's events have to be numbered. To be called on one of its CPUs.
void choose_names(PerfEventPmu& pmu, Subject& subject);

// Work of which a count is known, and the events that count it.
struct KnownWork {
  std::string_view event;
  std::string_view beside;  // an event that the same work counts
  std::uint64_t count = 0;  // of `event` in one run of the work
  void (*run)() = nullptr;
  double tolerance = 0;  // of `count`, relative: what else happens in the process
};
const KnownWork& work_for(const Subject& subject);

struct Bench {
  const Catalogue& catalogue;
  PerfEventPmu& pmu;
  const Subject& subject;
  std::span<const Subject> all;
};

// Events that were opened as one group, stopped.
struct Opened {
  std::unique_ptr<CounterGroup> group;
  std::vector<Event> events;
  bool user_only = true;  // false: the PMU can't leave out the kernel
};

// Opens generic events in user mode; if the PMU can't separate the modes, in both.
Result<Opened> open_events(const Bench& bench, std::span<const std::string_view> generic,
                           const Target& target);

// What the events count while `work` runs, which turns nothing on or off itself.
Result<std::vector<Reading>> count_during(const Opened& opened, const std::function<void()>& work);

// Keeps the calling thread to one CPU. The destructor gives back the CPUs that it had before.
class Pinned {
 public:
  explicit Pinned(int cpu) : done_(keep_to_cpu(cpu)) {}

  const Result<void>& done() const { return done_; }

 private:
  RestoredAffinity affinity_;  // before done_, which moves the thread
  Result<void> done_;
};

}  // namespace tacho::prove
