#include "record/record_workload.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <random>

#include "perfdata/encode_records.hpp"
#include "record/cpu_absences.hpp"
#include "record/describe_recording.hpp"
#include "record/initial_records.hpp"
#include "record/sample_cost.hpp"

namespace tacho {
namespace {

using Clock = Supervisor::Clock;

// How often what is in the buffers is written, however little: it is what a kill can cost. And how
// often periods are dithered: a stretch must be long enough for its samples to go through all of a
// loop many times, whatever is drawn, and a short run must have several.
constexpr std::chrono::milliseconds kTick{100};

// What one batch of a simulation's samples may stand for. Short, as what is not written yet is lost
// when the workload is killed.
constexpr std::chrono::milliseconds kShortestSlice{1};
constexpr std::chrono::milliseconds kLongestSlice{20};

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

Target target_of(const RecordRequest& request, pid_t launched) {
  if (request.every_cpu) return EveryCpu{};
  if (request.pid) return Process{*request.pid};
  return Launched{launched};
}

// The codes of a launch say that the command could not be run.
std::unexpected<Error> without_code(Error error) {
  error.code = 0;
  return std::unexpected(std::move(error));
}

// The command, or the simulation of it, which is returned.
Result<std::unique_ptr<Simulation>> prepare(Pmu& pmu, Supervisor& supervisor,
                                            const std::vector<std::string>& command) {
  auto simulation = pmu.simulate(command, kShortestSlice, kLongestSlice);
  if (!simulation) return without_code(simulation.error());
  // A simulator would tell in its own way that there is no such command.
  if (*simulation)
    if (auto can = can_run(command.front()); !can) return std::unexpected(can.error());
  const auto ready =
      *simulation ? supervisor.prepare((*simulation)->command(), (*simulation)->environment())
                  : supervisor.prepare(command);
  if (!ready) return std::unexpected(ready.error());
  return simulation;
}

class Run {
 public:
  Run(Pmu& pmu, Supervisor& supervisor, std::span<const EventGroup> groups,
      const RecordRequest& request, perfdata::Writer& writer,
      std::unique_ptr<Simulation> simulation, std::unique_ptr<Sampler> sampler)
      : pmu_(pmu),
        supervisor_(supervisor),
        groups_(groups),
        request_(request),
        writer_(writer),
        simulation_(std::move(simulation)),
        sampler_(std::move(sampler)),
        random_(request.seed) {
    if (simulation_) recorded_.simulated = pmu.capabilities().name;
    recorded_.events = written_events(sampler_->events());
    if (request.every_cpu) absences_.emplace();
  }

  Result<RecordResult> operator()() {
    perfdata::Inventory inventory(recorded_.events);
    const bool launched = !request_.pid && !request_.every_cpu;
    // While the workload does not run yet.
    writer_.set_preliminary_features(describe(inventory), recorded_.events);
    // The first stretch, too, may be in step with a loop.
    sampler_->dither(draw());
    if (!launched)
      if (auto on = sampler_->enable(); !on) return std::unexpected(on.error());
    const auto begun = Clock::now();
    if (!request_.command.empty())
      if (auto released = supervisor_.release(); !released)
        return simulation_ ? without_code(released.error()) : std::unexpected(released.error());
    // Not before: a command that can't be run leaves an older recording where it is.
    recorded_.written = begin_file(inventory);
    for (auto tick = begun + kTick;;) {
      const Wake wake = supervisor_.wait(tick, sampler_->descriptor());
      if (wake == Wake::ended) break;
      drain(inventory);
      if (wake != Wake::deadline) continue;
      if (absences_) absences_->look(seconds_since(begun));
      sampler_->dither(draw());
      tick = Clock::now() + kTick;
    }
    recorded_.elapsed_s = seconds_since(begun);
    drain(inventory);
    if (absences_) {
      absences_->look(recorded_.elapsed_s);
      recorded_.warnings = absences_->warnings(recorded_.elapsed_s);
    }
    recorded_.ending = supervisor_.ending();
    if (simulation_)
      if (auto concluded = conclude(); !concluded) return std::unexpected(concluded.error());
    if (recorded_.written)
      recorded_.written = writer_.finish(describe_to_the_end(inventory), recorded_.events);
    recorded_.samples = inventory.samples();
    recorded_.coverage = sampler_->coverage();
    recorded_.lost = inventory.lost();
    recorded_.throttled = inventory.throttled();
    return std::move(recorded_);
  }

 private:
  double draw() { return std::uniform_real_distribution<>()(random_); }

  // The header, and what was there before: an attached process's names and mappings, the kernel's.
  Result<void> begin_file(perfdata::Inventory& inventory) {
    if (auto started = writer_.start(recorded_.events); !started) return started;
    const perfdata::Trailer trailer = trailer_of(recorded_.events);
    std::vector<std::byte> records;
    if (!simulation_) records = records_of_kernel(trailer);
    if (request_.pid || request_.every_cpu) {
      const auto present = records_of_processes(request_.pid, trailer);
      records.insert(records.end(), present.begin(), present.end());
    }
    inventory.note(records);
    const std::span<const std::byte> piece = records;
    return writer_.append({&piece, 1});
  }

  perfdata::Description describe(const perfdata::Inventory& inventory) const {
    perfdata::Description description = describe_recording(request_.command_line, inventory);
    const auto& events = sampler_->events();
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].leads > 0)
        description.groups.push_back({.name = {}, .leader = i, .size = events[i].leads + 1});
    if (!simulation_) return description;
    description.cpu = fmt::format("simulated {} (model of tacho)", recorded_.simulated);
    description.cpu_id.clear();  // it is another core's
    description.topology = {};
    return description;
  }

  // What costs a run of its own, too.
  perfdata::Description describe_to_the_end(const perfdata::Inventory& inventory) const {
    perfdata::Description description = describe(inventory);
    if (!simulation_) description.sample_cost_ns = sample_cost_ns(pmu_, groups_, request_.spec);
    return description;
  }

  Result<void> conclude() {
    auto warnings = simulation_->conclude(recorded_.ending.signal);
    if (!warnings) return std::unexpected(warnings.error());
    recorded_.warnings = std::move(*warnings);
    recorded_.elapsed_s = std::chrono::duration<double>(simulation_->now()).count();
    return {};
  }

  // After the first refusal nothing more is written; the buffers run over, and the workload on.
  void drain(perfdata::Inventory& inventory) {
    bool any = false;
    const auto drained = sampler_->drain([&](std::span<const std::byte> records) -> Result<void> {
      if (!recorded_.written) return {};
      any = true;
      if (auto written = writer_.append({&records, 1}); !written) return written;
      inventory.note(records);
      return {};
    });
    if (!drained && recorded_.written) recorded_.written = drained;
    if (!any || !recorded_.written) return;
    const std::vector<std::byte> end = perfdata::encode_round_end();
    const std::span<const std::byte> piece = end;
    recorded_.written = writer_.append({&piece, 1});
  }

  Pmu& pmu_;
  Supervisor& supervisor_;
  std::span<const EventGroup> groups_;
  const RecordRequest& request_;
  perfdata::Writer& writer_;
  std::unique_ptr<Simulation> simulation_;  // where the PMU runs the command itself
  std::unique_ptr<Sampler> sampler_;
  std::mt19937_64 random_;
  std::optional<CpuAbsences> absences_;  // where every CPU is sampled
  RecordResult recorded_;
};

}  // namespace

Result<RecordResult> record(Pmu& pmu, Supervisor& supervisor, std::span<const EventGroup> groups,
                            const RecordRequest& request, perfdata::Writer& writer) {
  const bool launched = !request.pid && !request.every_cpu;
  std::unique_ptr<Simulation> simulation;
  if (!request.command.empty()) {
    auto prepared = prepare(pmu, supervisor, request.command);
    if (!prepared) return std::unexpected(prepared.error());
    simulation = std::move(*prepared);
  }
  if (request.pid)
    if (auto watched = supervisor.watch(*request.pid); !watched)
      return std::unexpected(watched.error());
  auto sampler = pmu.sample(groups, target_of(request, supervisor.pid()),
                            launched ? Start::at_exec : Start::stopped, request.spec);
  if (!sampler) return without_code(sampler.error());
  return Run(pmu, supervisor, groups, request, writer, std::move(simulation),
             std::move(*sampler))();
}

}  // namespace tacho
