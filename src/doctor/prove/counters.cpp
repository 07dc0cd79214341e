#include "doctor/prove/counters.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "pmu/trust/known_loop.hpp"

namespace tacho::prove {
namespace {

constexpr const char* kWatchdog = "/proc/sys/kernel/nmi_watchdog";
constexpr std::uint32_t kCopyLoops = 100'000;
constexpr std::size_t kMostCopies = 32;
// Copies that start and stop together differ by nothing, or by the interrupts that some count.
constexpr double kCopiesAlike = 0.001;

// The counts of the largest group of copies that got counters for the whole time; empty if there is
// none.
std::vector<std::uint64_t> count_copies(const Bench& bench, std::string_view event) {
  std::vector<std::uint64_t> counts;
  for (std::size_t n = 1; n <= kMostCopies; ++n) {
    const std::vector<std::string_view> copies(n, event);
    const auto opened = open_events(bench, copies, Self{});
    if (!opened) break;
    const auto readings = count_during(*opened, [] { run_known_loop(kCopyLoops); });
    if (!readings || readings->front().running_ns == 0) break;  // it opened and never ran
    if (readings->front().running_ns < readings->front().enabled_ns) break;
    counts.clear();
    for (const Reading& reading : *readings) counts.push_back(reading.value);
  }
  return counts;
}

// An event that has no counter of its own on any core. Some have one for instructions.
std::string_view event_of_any_counter(const Bench& bench) {
  for (const std::string_view event : {"branches", "instructions"})
    if (open_events(bench, std::array{event}, Self{})) return event;
  return {};
}

std::string watchdog_state() {
  const std::string value = first_line(kWatchdog);
  if (value.empty()) return "no NMI watchdog";
  return value == "0" ? "NMI watchdog off" : "NMI watchdog on";
}

// Turns the watchdog off. The destructor turns it on again. Meanwhile signals that end tacho wait.
class WatchdogOff {
 public:
  WatchdogOff() : file_(::open(kWatchdog, O_WRONLY | O_CLOEXEC)) {
    code_ = file_ ? 0 : errno;
    if (!file_) return;
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &before_);
    if (!write_all(file_.get(), "0\n", kWatchdog)) code_ = EIO;
  }
  ~WatchdogOff() {
    if (!file_) return;
    if (!write_all(file_.get(), "1\n", kWatchdog)) code_ = EIO;
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  WatchdogOff(const WatchdogOff&) = delete;
  WatchdogOff& operator=(const WatchdogOff&) = delete;

  int code() const { return code_; }

 private:
  Fd file_;
  int code_ = 0;  // errno, if it could not be turned off
  sigset_t before_{};
};

}  // namespace

Proof judge_copies(std::string_view event, std::span<const std::uint64_t> counts,
                   std::string_view watchdog) {
  if (counts.empty())
    return not_proved(fmt::format("not even one event got a counter all the time ({})", watchdog),
                      "end other programs that count");
  const auto [least, most] = std::ranges::minmax(counts);
  const Figure figure{.name = "difference of copies",
                      .measured = static_cast<double>(most - least),
                      .expected = 0,
                      .tolerance = kCopiesAlike * static_cast<double>(most) + 1,
                      .unit = std::string(event)};
  const Figure counters{.name = "counters",
                        .measured = static_cast<double>(counts.size()),
                        .expected = static_cast<double>(counts.size()),
                        .tolerance = 0,
                        .unit = "counters"};
  return judged(fmt::format("{} at once, which differ by {} of {} {} ({})", counts.size(),
                            most - least, most, event, watchdog),
                {figure, counters});
}

Proof judge_watchdog(std::size_t with, std::size_t without) {
  const std::string detail = fmt::format("{} with it, {} without it", with, without);
  const Figure figure{.name = "counters without the watchdog",
                      .measured = static_cast<double>(without),
                      .expected = static_cast<double>(std::max(with, without)),
                      .tolerance = 0,
                      .unit = "counters"};
  return judged(detail, {figure});
}

Proof prove_counters(const Bench& bench) {
  const std::string_view event = event_of_any_counter(bench);
  if (!event.empty()) return judge_copies(event, count_copies(bench, event), watchdog_state());
  const auto opened = open_events(bench, std::array<std::string_view, 1>{"instructions"}, Self{});
  return opened ? not_proved("no event opens") : not_proved(opened.error());
}

Proof prove_watchdog(const Bench& bench) {
  if (first_line(kWatchdog) != "1") return not_proved(watchdog_state() + ": nothing to compare");
  const std::string_view event = event_of_any_counter(bench);
  if (event.empty()) return not_proved("no event opens");
  const std::size_t with = count_copies(bench, event).size();
  const WatchdogOff off;
  if (off.code() != 0)
    return not_proved(os_error("cannot turn the watchdog off", off.code()).what,
                      "run it as root, outside of a container");
  return judge_watchdog(with, count_copies(bench, event).size());
}

}  // namespace tacho::prove
