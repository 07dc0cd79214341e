#include "pmu/registers/self_registers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include "base/cpus.hpp"
#include "pmu/registers/core_id.hpp"
#include "pmu/registers/cpu_observer.hpp"
#include "pmu/registers/cpu_registers.hpp"
#include "pmu/registers/event_number.hpp"
#include "pmu/registers/make_driver.hpp"
#include "pmu/registers/pinning.hpp"

namespace tacho::arm {

// Observes the CPU, and whether the counting thread is still bound to it.
class ThreadObserver final : public Observer {
 public:
  ThreadObserver(StatusFile file, int cpu, pid_t thread)
      : module_(std::move(file), cpu), cpu_(cpu), thread_(thread) {}

  Observation look() override {
    Observation seen = module_.look();
    if (!seen.trouble && may_leave(thread_, cpu_))
      seen.trouble = fmt::format("the thread may run elsewhere than on CPU {}", cpu_);
    return seen;
  }
  Result<void> follow(pid_t pid) override { return module_.follow(pid); }

 private:
  CpuObserver module_;
  int cpu_;
  pid_t thread_;
};

namespace {

// A third of the longest stretch.
constexpr std::chrono::milliseconds kLookEvery{100};

std::atomic<bool> somebody_counts = false;

// Blocks signals in a new thread: only the program's own threads should handle them.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    for (const int own : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP}) ::sigdelset(&all, own);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

Result<int> only_cpu() {
  const auto cpus = TACHO_TRY(allowed_cpus(0));
  if (cpus.size() == 1) return cpus.front();
  return failure(
      fmt::format("the registers are one CPU's, and this thread may run on {}", cpus.size()),
      "bind it to one: taskset -c CPU, or sched_setaffinity(2)");
}

Result<std::vector<Wanted>> wanted_events(std::span<const Event> events,
                                          std::span<const std::size_t> which,
                                          const CoreTraits& core) {
  std::vector<Wanted> wanted;
  for (const std::size_t place : which) wanted.push_back(TACHO_TRY(wanted_of(events[place], core)));
  return wanted;
}

}  // namespace

// The right to count, which only one object has at a time. Several threads may request it at once.
class SelfRegisters::Claim {
 public:
  Claim() : had_(!somebody_counts.exchange(true)) {}
  Claim(Claim&& other) noexcept : had_(std::exchange(other.had_, false)) {}
  Claim& operator=(Claim&&) = delete;
  ~Claim() {
    if (had_) somebody_counts = false;
  }
  explicit operator bool() const { return had_; }

 private:
  bool had_;
};

// The parts that counting needs, in the order in which they are made.
struct SelfRegisters::Job {
  Claim claim;
  std::vector<Wanted> wanted;
  std::vector<std::size_t> places;
  std::unique_ptr<Registers> registers;
  std::unique_ptr<Driver> driver;
  ThreadObserver observer;
  int counters = 0;
};

bool SelfRegisters::in_use() noexcept {
  return somebody_counts.load();
}

Error SelfRegisters::busy() {
  return {"this program's other counters read the core's registers, which serve one at a time",
          "close them first, or unload tacho_pmu: then the kernel counts", EBUSY};
}

Result<std::unique_ptr<SelfRegisters>> SelfRegisters::open(std::span<const Event> events,
                                                           std::span<const std::size_t> which) {
  // Before anything is taken: only perf's driver knows some events.
  const auto possible = wanted_events(events, which, {});
  if (!possible) return std::unexpected(possible.error());
  Claim claim;
  if (!claim) return std::unexpected(busy());
  const auto cpu = TACHO_TRY(only_cpu());
  auto file = TACHO_TRY(StatusFile::open());
  const auto status = TACHO_TRY(file.read());
  if (const auto objects = objection(status, cpu)) return std::unexpected(*objects);
  if (status.architecture == Architecture::armv6)
    return failure("a program does not read the ARM1176's registers by itself",
                   "tacho stat --pmu arm-registers does");
  const CoreTraits core = traits_of(TACHO_TRY(core_of(cpu)));
  auto wanted = TACHO_TRY(wanted_events(events, which, core));
  const int counters = status.of(cpu)->counters;
  auto registers = TACHO_TRY(cpu_registers(status.architecture));
  auto driver = make_driver(status.architecture, core, *registers, counters);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!driver->has(wanted[i].setting.event).value_or(true))
      return failure(fmt::format("the core has no '{}'", events[which[i]].name), "", ENOENT);
  auto job = std::make_unique<Job>(Job{.claim = std::move(claim),
                                       .wanted = std::move(wanted),
                                       .places = {which.begin(), which.end()},
                                       .registers = std::move(registers),
                                       .driver = std::move(driver),
                                       .observer = {std::move(file), cpu, ::gettid()},
                                       .counters = counters});
  std::unique_ptr<SelfRegisters> self(new SelfRegisters(std::move(job)));
  if (auto failed = self->start()) return std::unexpected(std::move(*failed));
  return self;
}

SelfRegisters::SelfRegisters(std::unique_ptr<Job> job) : job_(std::move(job)) {}

SelfRegisters::~SelfRegisters() {
  if (!keeper_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  keeper_.join();
}

// Counting begins with the keeper's first look.
std::optional<Error> SelfRegisters::start() {
  try {
    const NoSignals during;
    keeper_ = std::thread([this] { keep(); });
  } catch (const std::system_error& error) {
    return Error{"cannot start a thread that looks after the registers", "", error.code().value()};
  }
  return doubt();
}

std::optional<Error> SelfRegisters::doubt() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = ++asked_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return answered_ >= mine; });
  return why_;
}

// The keeper's loop. The keeper runs on the CPU of the thread that started it, and changes the
// counters and the table while that thread can't read.
void SelfRegisters::keep() {
  Bank bank(*job_->registers, *job_->driver, job_->observer, job_->counters, Bank::monotonic);
  table_.close();
  const auto allocation = bank.allocate(job_->wanted);
  auto& rows = table_.rows();
  for (std::size_t i = 0; allocation && i < job_->wanted.size(); ++i)
    rows[i] = {.counter = (*allocation)->counters[i], .place = job_->places[i]};
  table_.set_size(allocation ? job_->wanted.size() : 0);
  const auto look = [&] {
    bank.look();
    for (std::size_t i = 0; allocation && i < job_->wanted.size(); ++i) {
      const Bank::CounterState now = bank.state(rows[i].counter);
      rows[i].mask = now.mask;
      rows[i].last = now.last;
      rows[i].count = now.total;
    }
    if (doubted_) return;
    if (!allocation) why_ = allocation.error();
    if (std::string losses = bank.losses(); !losses.empty())
      why_ = Error{std::move(losses), "open the counters anew when nobody else uses them", EBUSY};
    doubted_ = why_.has_value();
  };
  std::unique_lock lock(mutex_);
  for (bool first = true; !over_; first = false) {
    if (!first) table_.close();
    const std::uint64_t asked = asked_;
    look();
    table_.open();
    answered_ = asked;
    changed_.notify_all();
    changed_.wait_for(lock, kLookEvery, [&] { return over_ || asked_ != answered_; });
  }
  if (allocation) bank.release(*allocation);
}

}  // namespace tacho::arm
