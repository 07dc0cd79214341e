#include "pmu/simulated/simulated.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "events/modifiers.hpp"
#include "pmu/perf/perf_open.hpp"
#include "pmu/simulated/simulated_sampler.hpp"
#include "simulation/refused_program.hpp"
#include "simulation/simulator_input.hpp"

namespace tacho {
namespace {

// A type that no PMU of the kernel has. `config` is the event's index in the table.
constexpr std::uint32_t kType = std::numeric_limits<std::uint32_t>::max();

constexpr const char* kCannotAttach =
    "a simulation launches its command: it can't attach to a process or watch a CPU";
constexpr const char* kLaunchIt = "launch the command";

// The columns of the records whose sum is an event's count.
using Columns = std::vector<std::string_view>;

// A group without counts, for the planner's trial: it always has counters.
class TriedGroup final : public CounterGroup {
 public:
  Result<void> enable() override { return {}; }
  Result<void> disable() override { return {}; }
  Result<void> read(std::span<Reading> readings) override {
    std::ranges::fill(readings, Reading{.value = 0, .enabled_ns = 1, .running_ns = 1});
    return {};
  }
};

// Counts the gain of the tally while the group is on.
class Group final : public CounterGroup {
 public:
  Group(std::shared_ptr<const Tally> tally, std::vector<Columns> events, bool on)
      : tally_(std::move(tally)),
        events_(std::move(events)),
        counted_(events_.size()),
        at_turn_on_(events_.size()),
        on_(on) {}

  Result<void> enable() override {
    if (on_) return {};
    on_ = true;
    return look(at_turn_on_);
  }

  Result<void> disable() override {
    if (!on_) return {};
    const auto read = take();
    on_ = false;
    return read;
  }

  Result<void> read(std::span<Reading> readings) override {
    const auto taken = on_ ? take() : Result<void>();
    std::ranges::copy(counted_, readings.begin());
    return taken;
  }

 private:
  // Adds the gain since the group was turned on, or since the last call.
  Result<void> take() {
    std::vector<Reading> now = at_turn_on_;
    const auto looked = look(now);
    for (std::size_t i = 0; i < now.size(); ++i) {
      counted_[i].value += now[i].value - at_turn_on_[i].value;
      counted_[i].enabled_ns += now[i].enabled_ns - at_turn_on_[i].enabled_ns;
      counted_[i].running_ns = counted_[i].enabled_ns;
    }
    at_turn_on_ = std::move(now);
    return looked;
  }

  Result<void> look(std::vector<Reading>& totals) const {
    const auto time = static_cast<std::uint64_t>(tally_->now().count());
    for (std::size_t i = 0; i < totals.size(); ++i) {
      std::uint64_t sum = 0;
      for (const std::string_view column : events_[i]) {
        const auto total = tally_->total(column);
        if (!total)
          return failure(fmt::format("the simulator does not count '{}'", column),
                         "its version is not tacho's: install both together");
        sum += *total;
      }
      totals[i] = {.value = sum, .enabled_ns = time, .running_ns = time};
    }
    return {};
  }

  std::shared_ptr<const Tally> tally_;
  std::vector<Columns> events_;
  std::vector<Reading> counted_;
  std::vector<Reading> at_turn_on_;
  bool on_;
};

// What its user has to know of the program that runs the simulator.
struct Runner {
  std::string remedy;        // if it ends too early
  bool survives_signals;     // writes its records when a signal ends the program
  std::string_view lacks;    // instructions
  std::string_view without;  // an architecture that has none of them
};

const Runner kOnValgrind = {
    "'valgrind --tool=none COMMAND' shows whether Valgrind can run the command at all", true,
    "AVX-512", "x86-64-v3"};

Runner on_qemu(const Emulator& emulator) {
  return {fmt::format("'{0} COMMAND' shows whether QEMU can run the command at all; '{0}' must be "
                      "of QEMU 6 or later, "
                      "with plugins (Debian: apt install qemu-user)",
                      emulator.qemu),
          false, "SVE", "armv8-a"};
}

class Simulated final : public Simulation {
 public:
  Simulated(const Simulator& simulator, const std::optional<Emulator>& emulator,
            RunDirectory directory, std::shared_ptr<Tally> tally,
            std::span<const std::string> command)
      : directory_(std::move(directory)),
        tally_(std::move(tally)),
        command_(simulated_command(simulator, emulator, directory_, command)),
        runner_(emulator ? on_qemu(*emulator) : kOnValgrind) {
    if (!emulator) environment_.push_back("VALGRIND_LIB=" + simulator.library);
  }

  const std::vector<std::string>& command() const override { return command_; }
  const std::vector<std::string>& environment() const override { return environment_; }
  Time now() const override { return tally_->now(); }
  Result<bool> advance(std::optional<Time> until) override { return tally_->advance(until); }
  Result<bool> look_ahead(Time until) override { return tally_->look_ahead(until); }
  Time known() const override { return tally_->known(); }
  bool begun() const override { return tally_->begun(); }

  Result<std::vector<std::string>> conclude(std::optional<int> killed) override {
    const std::vector<std::string> complaints = directory_.complaints();
    const std::string full =
        fmt::format("the simulator could not write on to '{}': it is full", directory_.path());
    const std::string more_room = "set TMPDIR to a directory with more room";
    const std::string limited =
        "a process of the command may not write files as large as the simulator's records";
    const std::string higher_limit = "raise its limit (ulimit -f)";
    if (!tally_->begun() && !killed && directory_.ran_full())
      return failure(full + " before anything was counted", more_room);
    if (!tally_->begun() && !killed && directory_.was_limited())
      return failure(limited + ": nothing was counted", higher_limit);
    if (!tally_->complete() && !killed && !directory_.ran_full() && !directory_.was_limited())
      return failure(fmt::format("the simulator ended before {}{}",
                                 tally_->begun() ? "the command did" : "it had counted anything",
                                 complaints.empty() ? "" : ": " + complaints[0]),
                     "see its message, if there is one above; " + runner_.remedy);
    std::vector<std::string> warnings;
    for (const std::string& complaint : complaints)
      warnings.push_back("the simulator had trouble: " + complaint);
    if (directory_.ran_full())
      warnings.push_back(full + ", and the counts end early; " + more_room);
    if (directory_.was_limited())
      warnings.push_back(limited + ", and its counts end early; " + higher_limit);
    if (killed == SIGKILL || (killed && !runner_.survives_signals))
      warnings.push_back(fmt::format(
          "{} ended the workload: what it did in its last second or so may not be counted",
          killed == SIGKILL ? "SIGKILL" : "a signal"));
    if (killed == SIGILL)
      warnings.push_back(fmt::format(
          "SIGILL ended the workload: the simulator lacks some instructions of the newest "
          "processors ({} among them) and ends so a program that executes one; a build for an "
          "older processor (-march={}) has none of them",
          runner_.lacks, runner_.without));
    return warnings;
  }

 private:
  RunDirectory directory_;
  std::shared_ptr<Tally> tally_;
  std::vector<std::string> command_;
  std::vector<std::string> environment_;
  Runner runner_;
};

// Makes a file for the simulator. The records' file is made before the simulator starts, to be read
// from its beginning.
Result<Fd> make_file(const std::string& path, std::string_view text) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return os_failure(fmt::format("cannot make '{}'", path), errno);
  TACHO_TRY(write_all(file.get(), text, path));
  return file;
}

}  // namespace

Capabilities SimulatedPmu::capabilities() const {
  return {.kind = PmuKind::simulated,
          .name = model_.name,
          .kernel_mode = false,
          .restriction = "a simulation has no kernel",
          .knows_all = true,
          .cycles_error = model_.cycles_error};
}

// High, because simulated time is short and samples take none of it.
SampleRate SimulatedPmu::default_rate() const {
  return {.frequency = 100'000, .limit = {}};
}

Result<Event> SimulatedPmu::resolve(std::string_view spec) const {
  const auto place = find_simulated_event(spec, events_);
  if (!place) {
    auto other = catalogue_.resolve(spec);
    return other ? other : std::unexpected(place.error());
  }
  Event event;  // modifiers are ignored: there is only user mode
  event.name = spec;
  event.domain = Domain::core;
  event.type = kType;
  event.config = *place;
  if (events_[*place].nanoseconds) {
    event.unit = "ns";
    event.scale = 1e9 / static_cast<double>(model_.frequency_hz);
  }
  return event;
}

std::string SimulatedPmu::why_not(const Event& event) const {
  const auto [name, modifiers] = split_modifiers(event.name);
  const auto known = std::ranges::find(events_, name, &SimulatedEvent::name);
  if (event.domain == Domain::software) return "it happens in the kernel, which is not simulated";
  if (known == events_.end()) return "it is not simulated";
  return known->reason.empty() ? "only user mode is simulated" : known->reason;
}

Result<const SimulatedEvent*> SimulatedPmu::simulated(const Event& event) const {
  if (event.type == kType) return &events_[static_cast<std::size_t>(event.config)];
  return failure(why_not(event),
                 event.domain == Domain::software
                     ? "--with-native counts it in a run without the simulator"
                     : "'tacho list --pmu simulated' shows what is simulated",
                 ENOENT);
}

Result<std::unique_ptr<CounterGroup>> SimulatedPmu::open(std::span<const Event> events,
                                                         const Target& target, Start start) {
  std::vector<Columns> columns;
  for (const Event& event : events) {
    const auto known = TACHO_TRY(simulated(event));
    columns.push_back(known->columns);
  }
  if (std::holds_alternative<Self>(target)) return std::make_unique<TriedGroup>();
  if (!std::holds_alternative<Launched>(target) || !tally_)
    return failure(kCannotAttach, kLaunchIt);
  return std::make_unique<Group>(tally_, std::move(columns), start == Start::at_exec);
}

// The event with the kernel's encoding. If the kernel has none, the encoding is that of the dummy
// event, and the recording has the name.
Event SimulatedPmu::as_the_kernels(const Event& event) const {
  constexpr std::uint64_t kConfigOfCore = 0xffffffff;  // the bits above select a kind of core
  const auto [name, modifiers] = split_modifiers(event.name);
  const auto known = catalogue_.resolve(name);
  const bool generic =
      known && (known->type == PERF_TYPE_HARDWARE || known->type == PERF_TYPE_SOFTWARE ||
                known->type == PERF_TYPE_HW_CACHE);
  Event sampled = event;
  sampled.type = PERF_TYPE_SOFTWARE;
  sampled.config = PERF_COUNT_SW_DUMMY;
  if (generic) {
    sampled.type = known->type;
    sampled.config = known->config & kConfigOfCore;
  }
  sampled.exclude_kernel = sampled.exclude_hv = true;
  sampled.precise = 3;  // no skid
  return sampled;
}

Result<std::unique_ptr<Sampler>> SimulatedPmu::sample(std::span<const EventGroup> groups,
                                                      const Target& target, Start start,
                                                      const SampleSpec& spec) {
  if (!std::holds_alternative<Launched>(target) || !tally_)
    return failure(kCannotAttach, kLaunchIt);
  if (emulated_)
    return failure("a program for ARM is only counted on this machine, and not sampled",
                   "tacho stat counts its events; to sample, compile it for x86-64");
  if (spec.chains == SampleSpec::Chains::dwarf)
    return failure("a simulation copies no stacks: it knows the callers itself", "-g records them");
  if (spec.clock_needed)
    return failure("the times of a simulation are those of its model", "leave -k out");
  if (spec.chains == SampleSpec::Chains::lbr)
    return failure("a simulated core keeps no call stacks: the simulation knows the callers itself",
                   "-g records them");
  // Each event has a counter all the time, so groups make no difference.
  EventGroup events;
  for (const EventGroup& group : groups) events.insert(events.end(), group.begin(), group.end());
  std::vector<SimulatedSampling> sampled;
  SampleSpec of_kernel = spec;
  of_kernel.clock.reset();
  for (const Event& event : events) {
    const auto known = simulated(event);
    if (!known)
      return failure(fmt::format("event '{}': {}", event.name, known.error().what),
                     "'tacho list --pmu simulated' shows what is simulated");
    const PerfOpen how{.start = start,
                       .sampling = PerfSampling{.spec = of_kernel,
                                                .tracks = sampled.empty(),
                                                .identified = events.size() > 1,
                                                .has_return_address = false,
                                                .tells_period = true}};
    sampled.push_back({.event = {.name = event.name,
                                 .attributes = perf_attributes(as_the_kernels(event), how),
                                 .ids = {sampled.size() + 1}},
                       .columns = (*known)->columns,
                       .scale = event.scale});
  }
  TACHO_TRY(make_file(sampling_, to_sampling_input(sampled, spec)));
  return simulated_sampler(tally_, sampled, spec);
}

Result<std::unique_ptr<Simulation>> SimulatedPmu::simulate(std::span<const std::string> command,
                                                           const std::string& working_directory,
                                                           Simulation::Time finest,
                                                           Simulation::Time longest) {
  std::optional<Emulator> emulator;
  if (!command.empty())
    emulator = TACHO_TRY(check_runs(command.front(), simulator_.library, working_directory));
  auto directory = TACHO_TRY(RunDirectory::make());
  const auto input = to_simulator_input(model_, static_cast<std::uint64_t>(finest.count()),
                                        static_cast<std::uint64_t>(longest.count()));
  TACHO_TRY(make_file(directory.model(), input));
  auto records = TACHO_TRY(make_file(directory.records(), ""));
  auto tally = std::make_shared<Tally>(std::move(records), model_.frequency_hz);
  tally_ = tally;
  sampling_ = directory.sampling();
  emulated_ = emulator.has_value();
  return std::make_unique<Simulated>(simulator_, emulator, std::move(directory), std::move(tally),
                                     command);
}

}  // namespace tacho
