#include "record/record_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <random>
#include <ranges>

#include "base/process_tree.hpp"
#include "perfdata/encode_records.hpp"
#include "process/counting_times.hpp"
#include "process/own_priority.hpp"
#include "process/taken_events.hpp"
#include "record/cpu_absences.hpp"
#include "record/describe_recording.hpp"
#include "record/initial_records.hpp"
#include "record/machine_details.hpp"
#include "record/present_threads.hpp"
#include "record/sample_cost.hpp"
#include "record/sample_limits.hpp"
#include "record/tracepoint_formats.hpp"
#include "record/waits_at_start.hpp"
#include "record/wake_filter.hpp"
#include "record/wake_records.hpp"

namespace tacho {
namespace {

using Bytes = std::vector<std::byte>;
using Clock = Supervisor::Clock;

// How often the buffers are written to the file and the sampling periods are dithered. A kill loses
// at most this time of samples. Dithering needs ticks that are long enough for the samples to cover
// a loop many times, and short enough for several ticks in a short run.
constexpr std::chrono::milliseconds kTick{100};

// Bounds on the time that one batch of a simulation's samples covers. They are short because a kill
// of the workload loses the samples that are not written yet.
constexpr std::chrono::milliseconds kShortestSlice{1};
constexpr std::chrono::milliseconds kLongestSlice{20};

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

Target target_of(const RecordRequest& request, pid_t launched) {
  const AskedTargets& asked = request.targets;
  if (request.cgroup >= 0) return Cgroup{request.cgroup};
  if (!asked.cpus.empty()) return SomeCpus{asked.cpus};
  if (asked.every_cpu) return EveryCpu{};
  if (!asked.tids.empty())
    return Thread{asked.tids.front(), {asked.tids.begin() + 1, asked.tids.end()}};
  if (!asked.pids.empty())
    return Process{asked.pids.front(), {asked.pids.begin() + 1, asked.pids.end()}};
  return Launched{launched};
}

// Removes the code of an error: codes are reserved for commands that could not be launched.
std::unexpected<Error> without_code(Error error) {
  error.code = 0;
  return std::unexpected(std::move(error));
}

// Prepares the launch of the command, or of the simulator that runs it. Returns the simulation;
// nullptr if the PMU does not simulate.
Result<std::unique_ptr<Simulation>> prepare(Pmu& pmu, Supervisor& supervisor,
                                            const RecordRequest& request) {
  Launch launch{.argv = request.command};
  if (request.control != nullptr) launch.environment = request.control->variables();
  auto simulation = pmu.simulate(launch.argv, launch.directory, kShortestSlice, kLongestSlice);
  if (!simulation) return without_code(simulation.error());
  if (*simulation == nullptr) {
    TACHO_TRY(supervisor.prepare(launch));
    return simulation;
  }
  // Checked here because a simulator would report a missing command in its own way.
  TACHO_TRY(can_run(launch));
  TACHO_TRY(
      supervisor.prepare(run_by(launch, (*simulation)->command(), (*simulation)->environment())));
  return simulation;
}

// The number of the first event with this property.
std::optional<std::size_t> event_with(std::span<const EventGroup> groups,
                                      bool SamplingTerms::* property) {
  for (std::size_t i = 0; const Event& event : groups | std::views::join) {
    if (event.sampling.*property) return i;
    ++i;
  }
  return std::nullopt;
}

std::vector<pid_t> tids_of(const std::vector<PresentThread>& threads) {
  std::vector<pid_t> tids;
  for (const PresentThread& each : threads) tids.push_back(each.tid);
  return tids;
}

class RecordRun {
 public:
  RecordRun(Pmu& pmu, Supervisor& supervisor, std::span<const EventGroup> groups,
            const RecordRequest& request, perfdata::RecordingOutput& output,
            std::unique_ptr<Simulation> simulation, std::unique_ptr<Sampler> sampler,
            std::vector<PresentThread> present)
      : pmu_(pmu),
        supervisor_(supervisor),
        groups_(groups),
        request_(request),
        output_(output),
        simulation_(std::move(simulation)),
        sampler_(std::move(sampler)),
        limits_(groups, *sampler_),
        present_(std::move(present)),
        tracing_data_(perfdata::encode_tracing_data(tracepoint_formats(groups))),
        random_(request.seed) {
    if (simulation_) result_.simulated = pmu.capabilities().name;
    result_.events = written_events(sampler_->events());
    if (request.targets.every_cpu && request.targets.cpus.empty()) absences_.emplace();
    find_wakes();
    if (!request.targets.are_a_command() && !has_own_proc())
      result_.warnings.emplace_back(
          "/proc has the process numbers of another namespace: nothing is known of what ran before "
          "the recording, so names of threads and functions are missing. Mount it anew: "
          "mount -t proc proc /proc");
  }

  Result<RecordResult> operator()() {
    perfdata::Inventory inventory(result_.events);
    const bool launched = request_.targets.are_a_command();
    // Described before the workload runs, to take no time from it.
    perfdata::Description so_far = describe(inventory);
    so_far.unfinished = true;
    output_.set_preliminary_features(so_far, result_.events);
    // The first tick is dithered too: its samples may be in step with a loop.
    sampler_->dither(draw());
    const perfdata::WrittenEvent* const of_switches = launched ? nullptr : event_of_switches();
    const auto addresses = of_switches == nullptr ? KernelAddresses() : kernel_addresses();
    if (of_switches != nullptr) {
      followed_ = followed_threads(request_.targets, request_.cgroup, present_);
      runnable_ = runnable_ones(followed_);
    }
    if (!launched && !request_.delay) TACHO_TRY(sampler_->enable());
    const double on_before_ns = launched ? 0 : sampler_->time_on_ns().value_or(0);
    begin_ns_ = time_of_samples();
    const auto begun = Clock::now();
    if (!request_.delay)
      times_.turn_on(begun);
    else if (*request_.delay != Clock::duration::max())
      turn_on_ = begun + *request_.delay;
    if (request_.control != nullptr) obey();  // what came before the start
    if (!request_.command.empty())
      if (auto released = supervisor_.release(); !released)
        return simulation_ ? without_code(released.error()) : std::unexpected(released.error());
    // Begun after the launch: if a command can't be run, an older recording keeps its name.
    result_.file_status = begin_file(inventory);
    if (of_switches != nullptr && begin_ns_) add_waits_at_start(*of_switches, addresses, inventory);
    follow(begun, inventory);
    result_.elapsed_s = seconds_since(begun);
    end_ns_ = time_of_samples();
    if (const auto on_ns = sampler_->time_on_ns()) on_ns_ = *on_ns - on_before_ns;
    if (is_switched()) tell_switch();
    drain(inventory);
    result_.counts = sampler_->counts();
    if (absences_) {
      absences_->look(result_.elapsed_s);
      std::ranges::copy(absences_->warnings(result_.elapsed_s),
                        std::back_inserter(result_.warnings));
    }
    result_.ending = supervisor_.ending();
    if (simulation_)
      TACHO_TRY(conclude());
    else if (launched && !is_switched())
      look_for_taken_events();
    if (result_.file_status)
      result_.file_status = output_.finish(describe_fully(inventory), result_.events);
    std::ranges::copy(pmu_.remarks(), std::back_inserter(result_.warnings));
    result_.samples = inventory.samples();
    result_.paused = limits_.have_paused();
    result_.coverage = sampler_->coverage();
    result_.lost = inventory.lost();
    if (result_.lost > 0) bound_lost_samples(inventory);
    result_.throttled = inventory.throttled();
    if (result_.ending.unknown && result_.file_status)
      result_.file_status = std::unexpected(*result_.ending.unknown);
    return std::move(result_);
  }

 private:
  double draw() { return std::uniform_real_distribution<>()(random_); }

  // Drains the sampler until the run ends.
  void follow(Clock::time_point begun, perfdata::Inventory& inventory) {
    // Where all CPUs are busy, buffers would overflow until it is the recorder's turn.
    const FirstOnCpu first;
    SimulationProgress progress(request_.simulated);
    const int commands = request_.control == nullptr ? -1 : request_.control->descriptor();
    for (auto tick = begun + kTick; !stopped_;) {
      const Wake wake = supervisor_.wait(std::min({tick, turn_on_, limits_.next_turn()}),
                                         {sampler_->descriptor(), commands});
      if (wake == Wake::ended) return;
      if (request_.control != nullptr) obey();
      if (Clock::now() >= turn_on_) turn_on();
      drain(inventory);
      note(limits_.pause_if_too_many(inventory));
      note(limits_.turn_window());
      if (simulation_) progress.at(simulation_->now());
      if (Clock::now() < tick) continue;
      if (absences_) absences_->look(seconds_since(begun));
      sampler_->dither(draw());
      note(limits_.begin_tick(inventory, kTick, random_));
      tick = Clock::now() + kTick;
    }
  }

  // Now, on the clock of the samples; nothing if it is the kernel's own, which no program reads.
  perfdata::OptionalU64 time_of_samples() const {
    timespec now{};
    if (simulation_ || !request_.spec.clock || ::clock_gettime(*request_.spec.clock, &now) != 0)
      return std::nullopt;
    constexpr std::uint64_t kSecond = 1'000'000'000;  // ns
    return static_cast<std::uint64_t>(now.tv_sec) * kSecond +
           static_cast<std::uint64_t>(now.tv_nsec);
  }

  // Of whole CPUs and control groups, all wake-ups are kept.
  void find_wakes() {
    if (request_.targets.are_cpus() || request_.cgroup >= 0) return;
    for (std::size_t i = 0; const Event& event : groups_ | std::views::join) {
      if (event.sampling.everywhere) wakes_.emplace(event, result_.events[i], present_);
      ++i;
    }
  }

  bool is_switched() const { return request_.delay || request_.control != nullptr; }

  void turn_on() {
    turn_on_ = Clock::time_point::max();
    if (times_.is_on()) return;
    note(sampler_->enable());
    times_.turn_on(Clock::now());
  }

  void turn_off() {
    if (!times_.is_on()) return;
    note(sampler_->disable());
    times_.turn_off(Clock::now());
  }

  void stop() {
    turn_off();
    supervisor_.terminate();
    stopped_ = request_.command.empty();
  }

  void obey() {
    request_.control->obey([this](ControlCommand command) {
      if (command == ControlCommand::enable) turn_on();
      if (command == ControlCommand::disable) turn_off();
      if (command == ControlCommand::stop) stop();
    });
  }

  // An error while the workload runs does not end the run.
  void note(const Result<void>& done) {
    if (!done) result_.warnings.push_back(done.error().what + ": samples are missing");
  }

  void tell_switch() {
    result_.sampled_s = std::chrono::duration<double>(times_.until(Clock::now())).count();
    if (request_.control != nullptr)
      for (const std::string& warning : request_.control->warnings(*result_.sampled_s))
        result_.warnings.push_back(warning);
    if (*result_.sampled_s == 0)
      result_.warnings.push_back("nothing was sampled: " + why_never_on(request_.control));
  }

  // Writes the header and the initial records: names and mappings of attached processes, and the
  // mappings of the kernel.
  Result<void> begin_file(perfdata::Inventory& inventory) {
    TACHO_TRY(output_.start(result_.events));
    const perfdata::Trailer trailer = trailer_of(result_.events);
    std::vector<std::byte> records;
    if (!simulation_) records = records_of_kernel(trailer);
    if (!request_.targets.are_a_command()) {
      const bool with_data = request_.spec.chains == SampleSpec::Chains::dwarf;
      const auto present = records_of_threads(present_, with_data, trailer);
      records.insert(records.end(), present.begin(), present.end());
    }
    inventory.note(records);
    const std::span<const std::byte> piece = records;
    return output_.append({&piece, 1});
  }

  // Samples of the event that tells switches: the kernel takes none of it.
  void add_waits_at_start(const perfdata::WrittenEvent& event, const KernelAddresses& addresses,
                          perfdata::Inventory& inventory) {
    constexpr std::size_t kAtOnce = 64;  // threads: 5 ms, in which no buffer overflows
    const FirstOnCpu first;
    const auto now = [this] { return time_of_samples().value_or(0); };
    append(samples_of_runnable(runnable_, *begin_ns_, event), inventory);
    std::vector<PresentThread> all = followed_;
    std::ranges::copy(later_threads(request_.targets, present_), std::back_inserter(all));
    for (std::span<const PresentThread> left = all; !left.empty() && result_.file_status;) {
      const auto some = left.first(std::min(left.size(), kAtOnce));
      left = left.subspan(some.size());
      append(samples_of_threads(some, request_.spec.stack_bytes, event, addresses, now), inventory);
      drain(inventory);
      note(limits_.pause_if_too_many(inventory));
    }
  }

  // Records of this recorder's own. Those for which there is no room are not counted.
  void append(std::span<const std::byte> records, perfdata::Inventory& inventory) {
    const std::uint64_t before = output_.appended();
    result_.file_status = output_.append({&records, 1});
    inventory.note(records.first(static_cast<std::size_t>(output_.appended() - before)));
  }

  // Nullptr if none does.
  const perfdata::WrittenEvent* event_of_switches() const {
    const auto number = event_with(groups_, &SamplingTerms::tells_switches);
    return number ? &result_.events[*number] : nullptr;
  }

  perfdata::Description describe(const perfdata::Inventory& inventory) const {
    perfdata::Description description = describe_recording(request_.command_line, inventory);
    const auto& events = sampler_->events();
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].leads > 0)
        description.groups.push_back({.name = {}, .leader = i, .size = events[i].leads + 1});
    description.tracing_data = tracing_data_;
    if (!simulation_) return description;
    description.cpu = perfdata::simulated_cpu(result_.simulated);
    description.cpu_id.clear();  // it belongs to the real core
    description.topology = {};
    return description;
  }

  // The CPU time of the command and its children, or of the attached processes since then. Nothing
  // if every CPU was sampled. Where switches are recorded, it is the time in which the counters
  // were on: the time that the switches do not show is the recorder's work.
  std::optional<std::uint64_t> cpu_time_ns() const {
    const Ending& ending = result_.ending;
    if (request_.targets.are_cpus()) return std::nullopt;
    std::optional<double> time;
    if (!request_.targets.are_a_command() || is_switched() || event_of_switches() != nullptr)
      time = on_ns_;
    else if (ending.has_usage)
      time = 1e9 * (ending.user_s + ending.system_s);
    if (!time) return std::nullopt;
    return static_cast<std::uint64_t>(*time);
  }

  // Also has what is known only when the run has ended: the counts of the events, the cost of a
  // sample, and details of the machine, which take time to find out.
  perfdata::Description describe_fully(const perfdata::Inventory& inventory) const {
    perfdata::Description description = describe(inventory);
    if (simulation_) return description;
    description.counted = result_.counts;
    description.cpu_time_ns = cpu_time_ns();
    description.begin_ns = begin_ns_;
    description.end_ns = end_ns_;
    description.sample_cost_ns = sample_cost_ns(pmu_, groups_, request_.spec);
    add_machine_details(description);
    return description;
  }

  void bound_lost_samples(const perfdata::Inventory& inventory) {
    const auto most = sampler_->most_samples();
    if (!most) return;
    double left = *most;
    for (const std::uint64_t samples : inventory.samples()) left -= static_cast<double>(samples);
    const auto perhaps = static_cast<std::uint64_t>(std::clamp(left, 0.0, 1e18));
    result_.most_lost_samples = std::min(inventory.lost(), inventory.lost_samples() + perhaps);
  }

  void look_for_taken_events() {
    const auto seen = sampler_->time_on_ns();
    const Ending& ending = result_.ending;
    if (!seen || !ending.has_usage) return;
    const bool expected = why_events_are_taken(request_.command.front()).has_value();
    const CommandTime cpu = cpu_time(ending);
    if (!were_taken(*seen, cpu, expected)) {
      if (auto missed = missed_time_warning(*seen, cpu))
        result_.warnings.push_back(std::move(*missed));
      return;
    }
    result_.taken = taken_events(request_.command);
    result_.seen_s = *seen / 1e9;
  }

  Result<void> conclude() {
    const auto warnings = TACHO_TRY(simulation_->conclude(result_.ending.signal));
    std::ranges::copy(warnings, std::back_inserter(result_.warnings));
    result_.elapsed_s = std::chrono::duration<double>(simulation_->now()).count();
    return {};
  }

  // Moves records from the sampler's buffers to the file. After the first write error it drops
  // them, and the workload continues.
  void drain(perfdata::Inventory& inventory) {
    bool any = false;
    const auto drained = sampler_->drain([&](std::span<const std::byte> records) -> Result<void> {
      if (!result_.file_status) return {};
      any = true;
      if (!wakes_) append(records, inventory);
      if (wakes_)
        for (const auto stretch : wakes_->keep(records))
          if (result_.file_status) append(stretch, inventory);
      return result_.file_status;
    });
    const auto more = wakes_ ? wakes_->end_round(trailer_of(result_.events)) : Bytes();
    if (result_.file_status && !more.empty()) append(more, inventory);
    if (!drained && result_.file_status) result_.file_status = drained;
    if (!any || !result_.file_status) return;
    const std::vector<std::byte> end = perfdata::encode_round_end();
    const std::span<const std::byte> piece = end;
    result_.file_status = output_.append({&piece, 1});
  }

  Pmu& pmu_;
  Supervisor& supervisor_;
  std::span<const EventGroup> groups_;
  const RecordRequest& request_;
  perfdata::RecordingOutput& output_;
  std::unique_ptr<Simulation> simulation_;  // if the PMU simulates the command; otherwise nullptr
  std::unique_ptr<Sampler> sampler_;
  SampleLimits limits_;
  std::vector<PresentThread> present_;  // when the sampler was made
  // When the events were turned on: those of which each switch is recorded, and of them, those that
  // ran or were ready.
  std::vector<PresentThread> followed_, runnable_;
  std::optional<WakeRecords> wakes_;     // if those of all CPUs are recorded
  std::vector<std::byte> tracing_data_;  // for the readers of tracepoints' samples
  std::mt19937_64 random_;
  CountingTimes times_;
  Clock::time_point turn_on_ = Clock::time_point::max();  // when the delay is over
  bool stopped_ = false;                                  // the run has to end
  perfdata::OptionalU64 begin_ns_, end_ns_;
  std::optional<double> on_ns_;          // of the events, between the two
  std::optional<CpuAbsences> absences_;  // only if every CPU is sampled
  RecordResult result_;
};

}  // namespace

Result<RecordResult> record(Pmu& pmu, Supervisor& supervisor, std::span<const EventGroup> groups,
                            const RecordRequest& request, perfdata::RecordingOutput& output) {
  const bool launched = request.targets.are_a_command();
  std::unique_ptr<Simulation> simulation;
  if (!request.command.empty()) simulation = TACHO_TRY(prepare(pmu, supervisor, request));
  for (const pid_t pid : request.targets.pids) TACHO_TRY(supervisor.watch(pid));
  for (const pid_t tid : request.targets.tids) TACHO_TRY(supervisor.watch_thread(tid));
  // Read first: threads that are made while others are listed have larger numbers.
  const ThreadNumbers numbers = thread_numbers();
  // Before the sampler is made: one that it misses must not count as waiting all the time.
  std::vector<PresentThread> present = present_threads(request.targets);
  SampleSpec spec = request.spec;
  if (event_with(groups, &SamplingTerms::everywhere))
    spec.kept_everywhere =
        wake_filter(launched ? std::vector{supervisor.pid()} : tids_of(present), numbers);
  auto sampler = pmu.sample(groups, target_of(request, supervisor.pid()),
                            launched ? Start::at_exec : Start::stopped, spec);
  if (!sampler) return without_code(sampler.error());
  return RecordRun(pmu, supervisor, groups, request, output, std::move(simulation),
                   std::move(*sampler), std::move(present))();
}

}  // namespace tacho
