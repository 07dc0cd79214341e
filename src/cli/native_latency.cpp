#include "cli/native_latency.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include "base/cpuinfo.hpp"
#include "base/number.hpp"
#include "cli/say.hpp"
#include "latency/chase/allowance.hpp"
#include "latency/chase/disturbance.hpp"
#include "latency/chase/machine.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/sizes.hpp"
#include "latency/chase/sweep.hpp"
#include "latency/chase/timer.hpp"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kStreamBytes = std::size_t{64} << 20U;

// Progress, and the time left as far as the time so far tells.
class Progress {
 public:
  void operator()(const chase::SweepProgress& now) const {
    constexpr double kEnough = 0.05;
    const double spent = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string text = fmt::format("latency: {}, {:.0f} %", now.what, 100 * now.done);
    if (now.done > kEnough)
      text += fmt::format(", {:.0f} s left", std::ceil(spent / now.done * (1 - now.done)));
    say_progress(text);
  }

 private:
  Clock::time_point begin_ = Clock::now();
};

// The largest list: as asked for, where the memory is there, or as suits the machine.
Result<std::size_t> largest(const AskedSizes& asked, const std::vector<AdvertisedCache>& caches) {
  const auto allowance = chase::memory_allowance();
  if (!allowance) return std::unexpected(allowance.error());
  const std::size_t last = caches.empty() ? 0 : static_cast<std::size_t>(caches.back().bytes);
  if (!asked.most && asked.sizes.empty())
    return std::max(chase::default_most(last, allowance->bytes), chase::small_page_bytes());
  const std::size_t most = asked.sizes.empty() ? *asked.most : asked.sizes.back();
  if (auto fits = chase::check_room(*allowance, most); !fits) return std::unexpected(fits.error());
  return most;
}

// The line of the first level; a sane one where the kernel tells none.
std::size_t line_of(const std::vector<AdvertisedCache>& caches) {
  constexpr std::size_t kUsual = 64;
  if (caches.empty()) return kUsual;
  const std::size_t told = caches.front().line_bytes;
  return std::has_single_bit(told) && told >= 16 && told <= 1024 ? told : kUsual;
}

std::vector<int> others(const std::vector<int>& cpus, int cpu) {
  std::vector<int> rest = cpus;
  std::erase(rest, cpu);
  return rest;
}

void tell_machine(int cpu, LatencyReport& report) {
  const chase::MachineState state = chase::machine_state(cpu);
  report.governor = state.governor;
  if (state.knows_load) report.load = state.load;
  report.processor = processor_name();
}

}  // namespace

Result<void> measure_native(const LatencyOptions& options, const chase::Stop& stop,
                            LatencyReport& report, std::unique_ptr<chase::Streams>& streams) {
  const std::vector<int> allowed = chase::allowed_cpus();
  report.cpu = options.cpu.value_or(::sched_getcpu());
  if (auto kept = chase::keep_to(report.cpu); !kept) return kept;
  report.advertised = {chase::advertised_caches(report.cpu), chase::advertised_tlb()};
  report.access = options.write ? "write" : options.atomic ? "atomic addition" : "load";
  tell_machine(report.cpu, report);
  chase::SweepRequest request;
  auto asked = asked_sizes(options);
  if (!asked) return std::unexpected(asked.error());
  const auto most = largest(*asked, report.advertised.caches);
  if (!most) return std::unexpected(most.error());
  request.sizes = std::move(asked->sizes);
  request.most_bytes = *most;
  request.line_bytes = line_of(report.advertised.caches);
  request.cpu = report.cpu;
  request.advertised = report.advertised;
  request.small = options.pages != "huge";
  request.huge = options.pages != "small";
  request.access = access_of(options);
  const chase::ChosenTimer timer = chase::choose_timer(report.cpu);
  request.timer = timer.timer;
  request.effort.step = timer.step;
  request.effort.block_times = timer.block_times;
  // First and second levels are mostly a core's own. Half as much again shows their edges.
  for (const AdvertisedCache& cache : report.advertised.caches)
    if (cache.level <= 2)
      request.effort.own_lines = static_cast<std::size_t>(3 * cache.bytes / 2) / request.line_bytes;
  request.tick_hz = timer.hz;
  report.clock = timer.name;
  report.inference.tick_hz = timer.hz;

  if (options.loaded) {
    const std::vector<int> busy = others(allowed, report.cpu);
    if (busy.empty())
      return failure("--loaded needs another CPU to keep busy, and this process may use one only",
                     "allow it more of them (taskset, the container's cpuset)");
    streams = std::make_unique<chase::Streams>(busy, kStreamBytes);
    report.warnings.push_back(fmt::format("measured while {} other CPU{} read and wrote memory",
                                          busy.size(), busy.size() == 1 ? "" : "s"));
  }
  const Clock::time_point begin = Clock::now();
  auto swept = chase::sweep(request, stop, Progress());
  say_progress("");
  if (!swept) return std::unexpected(swept.error());
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  report.waited_s = swept->waited_s;
  if (swept->knows_stolen) report.stolen_s = swept->stolen_s;
  report.partial = swept->partial;
  const auto shared = std::ranges::count_if(
      swept->runs, [](const chase::SizeRun& run) { return run.sample.core_shared; });
  if (shared != 0)
    report.warnings.push_back(
        fmt::format("another thread used the same core, and its caches, during {} of {} (to "
                    "read the clock took more of the core's cycles than alone): levels may seem "
                    "smaller than they are",
                    shared, plural(swept->runs.size(), "size", {})));
  for (std::string& warning : swept->warnings) report.warnings.push_back(std::move(warning));
  report.held = std::move(swept->held);
  for (chase::SizeRun& run : swept->runs) {
    report.chain_cycles.push_back(run.chain_ticks * run.sample.cycles_per_tick);
    report.samples.push_back(std::move(run.sample));
  }
  return {};
}

}  // namespace tacho
