// made_up_machine: runs a command on a machine that does not exist.
//
//   made_up_machine [--all-events] [--log FILE] MACHINE.toml COMMAND [ARGUMENT…]
//
// The command and all that it starts see the PMUs of the table: their files in sysfs, and their
// answers to perf_event_open. FILE gets a line of JSON for each call. The exit status is the
// command's, 128+N if signal N killed it, 125 if the tool or the table is wrong, and 77 if such a
// machine can't be made here.
//
// An event of a made-up PMU counts nanoseconds of CPU time on the CPUs of the PMU. So a test knows
// the truth: a task that used 50 ms on CPU 0 has 50,000,000 cycles of CPU 0's PMU. tacho tries
// instructions, branches and loads on loops of known length, and a clock fails this trial. So the
// PMUs have only these of their generic events: cycles, bus-cycles and ref-cycles. With
// --all-events they have all; then use tacho's --pmu hardware.
//
// These things are as on a real machine:
// - Where an event opens, and the errno: types, extended types, CPUs, groups, the table's rules.
// - Times: a task's event is enabled while the task runs anywhere. It runs on the PMU's CPUs alone.
//   A task's group that needs a counter which someone holds never runs.
// - Inheritance, enable_on_exec, reads of groups, sampling, ring buffers: the kernel's own.
// - The kernel's age: it refuses attributes, flags and sample types that it does not know.
// These things are not:
// - Groups do not compete for counters. Each runs as if it were alone.
// - An event of a CPU (-a) counts the time of the CPU, also when it idles. It runs even if someone
//   holds a counter that it needs.
// - exclude_user and exclude_kernel change no count. Exclusions and precise levels meet rules only.
// - User space can't read a counter with rdpmc: the event's page has the index 0.
// - Branch stacks are empty. Samples have no data source. A sample's period is at least 10,000 ns.
// - An event is opened anew under its descriptor if its group moves to other CPUs: a software event
//   leads an event of a PMU, or the group outgrows the free counters. Earlier mappings are lost.
// - An inherited event of a task on one kind of cores can be mapped, although it names no CPU.
// - After PERF_EVENT_IOC_PERIOD, samples still name the period from before.
// - The release of the kernel (uname) and /proc/cpuinfo are this machine's.
// - Vendors' event names (libpfm4) are this processor's; LIBPFM_FORCE_PMU chooses others.
// - Events of cgroups do not open.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/cpus.hpp"
#include "base/file.hpp"
#include "counters.hpp"
#include "stage.hpp"

namespace made_up {
namespace {

using tacho::Error;
using tacho::Fd;
using tacho::Result;

constexpr int kWrong = 125;
constexpr int kImpossibleHere = 77;
constexpr auto kPassedOn = std::to_array<int>({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2});

struct Options {
  bool all_events = false;
  std::string log;
  std::string table;
  char** command = nullptr;
};

int say(const Error& error, int status) {
  fmt::print(stderr, "made_up_machine: {}{}{}\n", error.what, error.remedy.empty() ? "" : ": ",
             error.remedy);
  return status;
}

Result<Options> parse(char** words) {
  Options options;
  for (++words; *words != nullptr && std::string_view(*words).starts_with("--"); ++words) {
    const std::string_view word = *words;
    if (word == "--all-events")
      options.all_events = true;
    else if (word == "--log" && words[1] != nullptr)
      options.log = *++words;
    else
      return tacho::failure(fmt::format("unknown option '{}'", word),
                            "made_up_machine.cpp has the options");
  }
  if (words[0] == nullptr || words[1] == nullptr)
    return tacho::failure("a table and a command are needed",
                          "made_up_machine [--all-events] [--log FILE] MACHINE.toml COMMAND");
  options.table = *words;
  options.command = words + 1;
  return options;
}

void keep_clocks_alone(Machine& machine) {
  for (MadeUpPmu& pmu : machine.pmus)
    std::erase_if(pmu.events, [](const Generic& event) { return !is_clock(event); });
}

// A CPU of this machine that the made-up one does not have.
Result<std::optional<int>> spare_cpu(const Machine& machine) {
  const std::vector<int> here = tacho::allowed_cpus();
  for (int cpu = 0; cpu < machine.cpus; ++cpu)
    if (std::ranges::find(here, cpu) == here.end())
      return tacho::failure(
          fmt::format("the machine has {} CPUs; CPU {} can't be used here", machine.cpus, cpu));
  const bool held =
      std::ranges::any_of(machine.pmus, [](const auto& pmu) { return pmu.taken > 0; });
  if (!held) return std::optional<int>();
  if (here.back() < machine.cpus)
    return tacho::failure("a counter that someone holds needs one CPU more than the machine has");
  return std::optional(here.back());
}

// In the child: becomes the command.
[[noreturn]] void enter(const Machine& machine, const Options& options, int socket,
                        const sigset_t& signals) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto become = [&]() -> Result<void> {
    TACHO_TRY(keep_to_cpus(machine));
    TACHO_TRY(set_the_stage(machine));
    const Fd listener = TACHO_TRY(catch_calls());
    return send_descriptor(socket, listener.get());
  };
  const auto done = become();
  if (!done) ::_exit(say(done.error(), kImpossibleHere));
  ::close(socket);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  ::execvp(options.command[0], options.command);
  ::_exit(say(tacho::os_error(fmt::format("cannot run '{}'", options.command[0]), errno), 127));
}

int status_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return kWrong;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A terminal sends its signals to the command, too.
void pass_on(int signals, pid_t child) {
  signalfd_siginfo signal{};
  if (::read(signals, &signal, sizeof signal) == sizeof signal && signal.ssi_code != SI_KERNEL)
    ::kill(child, static_cast<int>(signal.ssi_signo));
}

// Answers calls and passes signals on until the command ends. Returns its status.
int supervise(Counters& counters, pid_t child, int listener, int signals, int log) {
  const Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  while (true) {
    std::array<pollfd, 3> ready{
        {{listener, POLLIN, 0}, {signals, POLLIN, 0}, {ended.get(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return kWrong;
    if ((ready[0].revents & POLLIN) != 0) {
      if (const auto waiting = WaitingCall::next(listener)) {
        const std::string line = counters.serve(*waiting) + "\n";
        if (log >= 0 && !tacho::write_all(log, line, "the log")) return kWrong;
      }
    }
    if ((ready[1].revents & POLLIN) != 0) pass_on(signals, child);
    if ((ready[2].revents & POLLIN) != 0) return status_of(child);
  }
}

Result<int> run(const Options& options, const Machine& machine, std::optional<int> nowhere) {
  Fd log;
  if (!options.log.empty()) {
    log = Fd(::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!log) return tacho::os_failure(fmt::format("cannot write '{}'", options.log), errno);
  }
  sigset_t passed_on;
  sigset_t before;
  ::sigemptyset(&passed_on);
  for (const int signal : kPassedOn) ::sigaddset(&passed_on, signal);
  ::sigprocmask(SIG_BLOCK, &passed_on, &before);
  const Fd signals(::signalfd(-1, &passed_on, SFD_CLOEXEC));
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    return tacho::os_failure("cannot make a socket", errno);
  const pid_t child = ::fork();
  if (child < 0) return tacho::os_failure("cannot fork", errno);
  if (child == 0) enter(machine, options, sockets[1], before);
  ::close(sockets[1]);
  const Fd from_child(sockets[0]);
  const auto listener = receive_descriptor(from_child.get());
  if (!listener) return status_of(child);  // the child has said why
  Counters counters(machine, nowhere);
  return supervise(counters, child, listener->get(), signals.get(), log.get());
}

int main_with(char** words) {
  const auto options = parse(words);
  if (!options) return say(options.error(), kWrong);
  auto machine = read_machine(options->table);
  if (!machine) return say(machine.error(), kWrong);
  if (!options->all_events) keep_clocks_alone(*machine);
  const auto nowhere = spare_cpu(*machine);
  if (!nowhere) return say(nowhere.error(), kImpossibleHere);
  const auto status = run(*options, *machine, *nowhere);
  return status ? *status : say(status.error(), kWrong);
}

}  // namespace
}  // namespace made_up

int main(int, char** argv) {
  return made_up::main_with(argv);
}
