#include "compare/run_blocks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "base/fd.hpp"
#include "compare/layout.hpp"
#include "compare/run_metrics.hpp"
#include "compare/stop_rule.hpp"
#include "measure/describe_run.hpp"
#include "measure/measure.hpp"
#include "process/capture/output_capture.hpp"
#include "process/launch.hpp"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFewRuns = 10;     // a warning of fewer than one in so many is not repeated
constexpr std::size_t kShownLines = 10;  // of the output of a run that failed

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t own_peak() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::vector<BlockMember> members_of(const CompareRequest& request) {
  std::vector<BlockMember> members;
  for (std::size_t i = 0; i < request.commands.size(); ++i) members.push_back({.command = i});
  if (request.control) members.push_back({.command = 0, .role = BlockMember::Role::control});
  if (request.layout == MemoryLayout::shuffled)
    for (std::size_t i = 0; i < request.commands.size(); ++i)
      members.push_back({.command = i, .role = BlockMember::Role::fixed});
  return members;
}

// To open a FIFO is to wait for its writer, and each run would read another part of what it writes.
Result<void> check_input(const ComparedCommand& command) {
  struct stat file{};
  if (::stat(command.input.c_str(), &file) != 0 || !S_ISFIFO(file.st_mode)) return {};
  return failure(fmt::format("--input '{}' is a FIFO", command.input),
                 "give a regular file, which each run can read from its start");
}

// "/dev/null" too is opened for each run: a file is read from its start each time.
Result<Fd> open_stream(const std::string& path, int flags) {
  Fd file(::open(path.c_str(), flags | O_CLOEXEC));
  if (file) return file;
  Error error = os_error(fmt::format("cannot open '{}'", path), errno, "give a file that exists");
  error.code = 0;  // a code would mean that the command could not be launched
  return std::unexpected(std::move(error));
}

std::string_view last_lines(std::string_view text, std::size_t lines) {
  std::size_t at = text.ends_with('\n') ? text.size() - 1 : text.size();
  while (lines-- > 0 && at != 0 && at != text.npos) at = text.rfind('\n', at - 1);
  return at == text.npos ? text : text.substr(at == 0 ? 0 : at + 1);
}

class Runner {
 public:
  Runner(const CompareRequest& request, Pmu& pmu, Supervisor& supervisor, const Plan& plan,
         const Notices& notices, const std::function<void(const PairProgress&)>& progress)
      : request_(request),
        pmu_(pmu),
        supervisor_(supervisor),
        plan_(plan),
        notices_(notices),
        progress_(progress),
        layouts_(request.commands) {
    std::uint64_t seed = 0;
    if (::getrandom(&seed, sizeof seed, 0) < 0) seed = 0;  // any seed will do
    random_.seed(seed);
    runs_.commands = request.commands;
    runs_.members = members_of(request);
    runs_.sweep = request.sweep;
    runs_.machine = describe_machine(pmu, plan);
    runs_.started = now_as_text();
    const bool simulated = runs_.machine.simulated();
    runs_.metrics = metrics_of(request, plan, simulated);
    runs_.primary = primary_of(runs_.metrics);
    const std::size_t tests = (runs_.members.size() - 1) * runs_.metrics.size();
    rule_ = request.stop.value_or(usual_stop_rule(tests, simulated));
    if (rule_.looks.empty()) rule_.looks = usual_stop_rule(tests, simulated).looks;
    runs_.looks = rule_.looks;
    runs_.level = level_of(runs_.looks);
    runs_.ends_when_decided = request.gates.empty() && !rule_.precision;
  }

  Result<PairedRuns> operator()() {
    TACHO_TRY(check_gates(request_.gates, runs_));
    for (const ComparedCommand& command : runs_.commands) TACHO_TRY(check_input(command));
    for (const ComparedCommand& command : runs_.commands)
      TACHO_TRY(run_shell(command, command.setup, "--setup"));
    if (!runs_.machine.simulated()) TACHO_TRY(run_block(0));
    for (std::size_t look : runs_.looks) {
      while (runs_.blocks < look && !stopped_)
        if (TACHO_TRY(run_next())) tell(look);
      if (!stopped_) stopped_ = settled(runs_, judge(runs_), rule_, request_.gates);
      if (stopped_) break;
    }
    runs_.stopped = stopped_.value_or(Stopped::looks);
    for (const auto& [warning, count] : warned_)
      if (count * kFewRuns >= runs_.runs.size()) runs_.warnings.push_back(warning);
    return std::move(runs_);
  }

 private:
  // Runs one block, unless the time is over. Returns whether it is complete.
  Result<bool> run_next() {
    if (rule_.seconds && runs_.blocks > 0 && seconds_since(begin_) >= *rule_.seconds) {
      stopped_ = Stopped::time;
      return false;
    }
    TACHO_TRY(run_block(runs_.blocks + 1));
    if (stopped_) return false;
    ++runs_.blocks;
    return true;
  }

  void tell(std::size_t look) const {
    if (progress_) progress_({runs_, seconds_since(begin_), look, runs_.looks.back()});
  }

  Result<void> run_block(std::size_t block) {
    std::vector<std::size_t> order(runs_.members.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, random_);
    for (const std::size_t member : order) {
      TACHO_TRY(run(member, block));
      if (!stopped_ && supervisor_.interrupted()) stopped_ = Stopped::signal;
      if (stopped_) return {};
    }
    return {};
  }

  Result<void> run(std::size_t member, std::size_t block) {
    const ComparedCommand& command = runs_.commands[runs_.members[member].command];
    TACHO_TRY(run_shell(command, command.prepare, "--prepare"));
    const bool piped = request_.output_to == OutputTo::pipe;
    const Fd input =
        TACHO_TRY(open_stream(command.input.empty() ? "/dev/null" : command.input, O_RDONLY));
    const Fd null = TACHO_TRY(open_stream("/dev/null", O_WRONLY));
    std::unique_ptr<OutputCapture> capture;
    if (piped) capture = TACHO_TRY(OutputCapture::start());

    MeasureRequest made;
    made.launch.argv = command.words;
    made.launch.environment = command.environment;
    made.launch.directory = command.directory;
    made.launch.input = input.get();
    made.launch.output = piped ? capture->output() : null.get();
    made.launch.error = piped ? capture->error() : null.get();
    layouts_.apply(layout_of(member), runs_.members[member].command, made.launch, random_);
    if (request_.timeout_s) made.limit = timeout();
    made.seed = random_();
    ComparedRun run{.member = member, .block = block, .begun_s = seconds_since(begin_)};
    auto measured = measure(pmu_, supervisor_, plan_, made, {});
    const CapturedOutput printed = capture ? capture->finish() : CapturedOutput{};
    if (!measured) return std::unexpected(measured.error());
    TACHO_TRY(run_shell(command, command.cleanup, "--cleanup"));
    const Measurement& whole = measured->whole;
    if (supervisor_.interrupted()) {
      stopped_ = Stopped::signal;
      return {};
    }
    TACHO_TRY(check(command, block, whole, printed));
    run.values = values_of(runs_.metrics, whole, own_peak());
    run.exit_code = whole.workload.exit_code;
    run.output_bytes = printed.bytes;
    run.output_digest = printed.digest;
    runs_.runs.push_back(std::move(run));
    for (const std::string& warning : whole.warnings) ++warned_[warning];
    return {};
  }

  MemoryLayout layout_of(std::size_t member) const {
    return runs_.members[member].role == BlockMember::Role::fixed ? MemoryLayout::fixed
                                                                  : request_.layout;
  }

  std::unexpected<Error> too_long(std::string_view what) const {
    return failure(
        fmt::format("{} still ran after {} s, and was killed", what, *request_.timeout_s),
        "give a longer --timeout, or a command that ends");
  }

  // A failed run is an error, with its output before it.
  Result<void> check(const ComparedCommand& command, std::size_t block, const Measurement& whole,
                     const CapturedOutput& printed) const {
    const Workload& workload = whole.workload;
    if (workload.timed_out) {
      print_output(command, printed);
      return too_long(fmt::format("command {}", command.shown()));
    }
    if (workload.exit_code == 0 || request_.ignore_failure) return {};
    print_output(command, printed);
    const std::string how = workload.signal
                                ? fmt::format("was killed by signal {}", *workload.signal)
                                : fmt::format("ended with status {}", workload.exit_code);
    return failure(fmt::format("command {} {} in {}", command.shown(), how,
                               block == 0 ? "its warm-up run" : fmt::format("its run {}", block)),
                   "mend the command, or compare it nevertheless: --ignore-failure");
  }

  void print_output(const ComparedCommand& command, const CapturedOutput& printed) const {
    if (request_.output_to == OutputTo::null) {
      notices_.line(
          fmt::format("the output of command {} was not kept (--discard-output)", command.shown()));
      return;
    }
    notices_.line(printed.tail.empty()
                      ? fmt::format("command {} printed nothing", command.shown())
                      : fmt::format("the end of what command {} printed:", command.shown()));
    std::string_view left = last_lines(printed.tail, kShownLines);
    while (!left.empty()) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      notices_.line(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }

  // Waits for its end. Returns false if it took too long and was killed.
  bool wait_for_shell() {
    std::optional<Clock::time_point> limit;
    if (request_.timeout_s) limit = Clock::now() + timeout();
    bool in_time = true;
    while (supervisor_.wait(limit) != Wake::ended) {
      if (!limit || Clock::now() < *limit) continue;
      in_time = false;
      limit.reset();
      supervisor_.kill();
    }
    return in_time;
  }

  std::chrono::nanoseconds timeout() const {
    return std::chrono::nanoseconds(std::llround(*request_.timeout_s * 1e9));
  }

  // Runs a command line of the user by a shell, not measured.
  Result<void> run_shell(const ComparedCommand& command, const std::string& text,
                         std::string_view option) {
    if (text.empty() || stopped_) return {};
    Launch launch;
    launch.argv = {"/bin/sh", "-c", text};
    launch.environment = command.environment;
    launch.directory = command.directory;
    const Fd null = TACHO_TRY(open_stream("/dev/null", O_RDWR));
    launch.input = launch.output = null.get();
    TACHO_TRY(supervisor_.prepare(launch));
    TACHO_TRY(supervisor_.release());
    const bool timed_out = !wait_for_shell();
    if (supervisor_.interrupted()) {
      stopped_ = Stopped::signal;
      return {};
    }
    if (timed_out)
      return too_long(fmt::format("{} '{}' of command {}", option, text, command.shown()));
    const int status = supervisor_.ending().exit_code;
    if (status == 0) return {};
    return failure(fmt::format("{} '{}' of command {} ended with status {}", option, text,
                               command.shown(), status),
                   "mend it: a comparison needs the same state before each run");
  }

  const CompareRequest& request_;
  Pmu& pmu_;
  Supervisor& supervisor_;
  const Plan& plan_;
  const Notices& notices_;
  const std::function<void(const PairProgress&)>& progress_;
  MemoryLayouts layouts_;
  std::mt19937_64 random_;
  StopRule rule_;
  PairedRuns runs_;
  std::optional<Stopped> stopped_;
  std::map<std::string, std::size_t> warned_;  // the runs with each warning
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace

Result<PairedRuns> run_blocks(const CompareRequest& request, Pmu& pmu, Supervisor& supervisor,
                              const Plan& plan, const Notices& notices,
                              const std::function<void(const PairProgress&)>& progress) {
  return Runner(request, pmu, supervisor, plan, notices, progress)();
}

}  // namespace tacho
