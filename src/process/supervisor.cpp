#include "process/supervisor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/time_types.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <ranges>
#include <span>

#include "base/process_tree.hpp"
#include "process/signal_descendants.hpp"

namespace tacho {
namespace {

constexpr std::array kPassedOn = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                  SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

// Returns true if the signal ends the watching of a process or of every CPU, where there is no
// workload to pass it on to. Some signals were ignored when tacho started: nohup ignores SIGHUP,
// and a script's shell ignores SIGINT and SIGQUIT for its background jobs, so that Ctrl-C does not
// reach them. These two end the run only if somebody sent them to tacho (kill).
bool ends_run(int signal, bool from_terminal) {
  struct sigaction disposition{};
  ::sigaction(signal, nullptr, &disposition);
  const bool ignored = disposition.sa_handler == SIG_IGN;
  if (signal == SIGINT || signal == SIGQUIT) return !ignored || !from_terminal;
  return !ignored && (signal == SIGTERM || signal == SIGHUP);
}

// Returns the remedy for an errno of pidfd_open(2).
const char* remedy_of_watch(int code) {
  switch (code) {
    case ENOSYS:
      return "attaching needs Linux 5.3 or newer; launch the command instead";
    case EPERM:
      return "a sandbox forbids pidfd_open(2): allow it there, or launch the command instead";
    case EMFILE:
    case ENFILE:
      return "raise 'ulimit -n'";
    default:
      return "give the pid of a running process; 'ps' lists them";
  }
}

// wait4(2) of a child that may have changed. Nothing else would ever say that it has ended, so an
// error is not taken for an answer at once.
pid_t look_at(pid_t child, int& status, rusage& usage) {
  constexpr int kMostTries = 3;
  for (int i = 1;; ++i) {
    const pid_t pid = ::wait4(child, &status, WNOHANG | WUNTRACED | WCONTINUED, &usage);
    if (pid >= 0 || (errno != EINTR && i >= kMostTries)) return pid;
  }
}

#ifdef SYS_ppoll_time64
constexpr long kPpoll = SYS_ppoll_time64;  // 32-bit systems have two
#else
constexpr long kPpoll = SYS_ppoll;
#endif

// ppoll(2) without a mask of signals, by the system call's number. On 32-bit ARM, the ppoll of
// glibc 2.36 takes a 64-bit time for a 32-bit one where _FORTIFY_SOURCE checks it, and waits for no
// time.
int wait_for(std::span<pollfd> polled, const std::optional<timespec>& limit) {
  __kernel_timespec time{};
  if (limit) time = {limit->tv_sec, limit->tv_nsec};
  return static_cast<int>(
      ::syscall(kPpoll, polled.data(), polled.size(), limit ? &time : nullptr, nullptr, 0));
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

}  // namespace

CommandTime cpu_time(const Ending& ending) {
  return {.all = 1e9 * (ending.user_s + ending.system_s), .launch = 1e9 * ending.launch_s};
}

Result<std::unique_ptr<Supervisor>> Supervisor::create() {
  std::unique_ptr<Supervisor> made(new Supervisor);
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : kPassedOn) sigaddset(&taken, signal);
  sigaddset(&taken, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &taken, &made->before_.mask);
  made->before_.pipe_ignored = ::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  // If it were ignored, the kernel would reap the workload before tacho can read its status.
  made->before_.children_ignored = ::signal(SIGCHLD, SIG_DFL) == SIG_IGN;
  made->signals_ = Fd(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!made->signals_) return os_failure("cannot wait for signals", errno, "raise 'ulimit -n'");
  made->terminal_ = Fd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  return made;
}

Supervisor::~Supervisor() {
  if (!before_.pipe_ignored) ::signal(SIGPIPE, SIG_DFL);
  if (before_.children_ignored) ::signal(SIGCHLD, SIG_IGN);
  ::sigprocmask(SIG_SETMASK, &before_.mask, nullptr);
}

Result<void> Supervisor::prepare(const Launch& launch) {
  take_early_stop();
  own_group_ = !terminal_ || ::tcgetpgrp(terminal_.get()) != ::getpgrp();
  command_.emplace(TACHO_TRY(Command::prepare(launch, own_group_, before_)));
  ending_ = {};
  stopped_since_.reset();
  return {};
}

Result<void> Supervisor::release() {
  // Ctrl-Z may have stopped the child before its exec.
  auto released = command_->release([this] {
    siginfo_t stopped{};
    if (::waitid(P_PID, static_cast<id_t>(command_->pid()), &stopped, WSTOPPED | WNOHANG) == 0 &&
        stopped.si_pid == command_->pid())
      stop_with_workload(stopped.si_status);
  });
  if (!released) command_.reset();  // it has ended, and others may have its number
  if (command_) ending_.launch_s = cpu_time_ns(command_->pid()).value_or(0) / 1e9;
  return released;
}

bool Supervisor::kill() {
  if (!command_ || has_ended()) return false;
  const pid_t pid = command_->pid();
  // First the descendants, while their parents live: some may have left the group.
  signal_descendants(pid, SIGKILL);
  if (own_group_) ::kill(-pid, SIGKILL);
  return true;
}

Result<void> Supervisor::watch(pid_t pid) {
  watched_.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (watched_.back()) return {};
  Error error =
      os_error(fmt::format("cannot watch process {}", pid), errno, remedy_of_watch(errno));
  error.code = 0;  // a code would mean that a command could not be launched
  return std::unexpected(std::move(error));
}

void Supervisor::terminate() {
  if (!command_ || has_ended()) return;
  ending_.asked_to_end = true;
  pass_on(SIGTERM, false);
}

Result<void> Supervisor::watch_thread(pid_t tid) {
  constexpr unsigned kThread = O_EXCL;  // PIDFD_THREAD
  Fd thread(static_cast<int>(::syscall(SYS_pidfd_open, tid, kThread)));
  if (!thread) {
    const pid_t process = std::atoi(status_value(tid, "Tgid").c_str());
    return watch(process > 0 ? process : tid);
  }
  watched_.push_back(std::move(thread));
  return {};
}

Wake Supervisor::wait(std::optional<Clock::time_point> deadline,
                      std::initializer_list<int> descriptors) {
  for (;;) {
    std::optional<timespec> left;
    if (deadline) {
      // For a deadline in the past the time is 0: poll still reports the end of the workload.
      const auto until = std::max<std::int64_t>(
          0, std::chrono::ceil<std::chrono::nanoseconds>(*deadline - Clock::now()).count());
      left = timespec{.tv_sec = static_cast<std::time_t>(until / 1'000'000'000),
                      .tv_nsec = static_cast<long>(until % 1'000'000'000)};
    }
    // -1 is skipped.
    std::array<pollfd, 4> polled = {
        pollfd{signals_.get(), POLLIN, 0},
        pollfd{watched_.empty() ? -1 : watched_.back().get(), POLLIN, 0}, pollfd{-1, POLLIN, 0},
        pollfd{-1, POLLIN, 0}};
    std::ranges::copy(descriptors | std::views::take(2) | std::views::transform([](int descriptor) {
                        return pollfd{descriptor, POLLIN, 0};
                      }),
                      polled.begin() + 2);
    int ready = wait_for(polled, left);
    // A sandbox may allow only poll(2), and an old kernel of a 32-bit system has only this. It
    // waits for whole milliseconds.
    if (ready < 0 && errno != EINTR) {
      constexpr std::time_t kLongest = 1'000;  // s, so the milliseconds fit an int; then again
      const std::time_t ms =
          left ? 1'000 * std::min(left->tv_sec, kLongest) + left->tv_nsec / 1'000'000 : -1;
      ready = ::poll(polled.data(), polled.size(), static_cast<int>(ms));
      if (ready == 0 && ms > 0) continue;
    }
    if (ready == 0) return Wake::deadline;
    if (ready < 0) continue;  // EINTR, for example after a stop
    if (polled[1].revents != 0) {
      watched_.pop_back();
      if (watched_.empty()) return Wake::ended;
    }
    if (take_signals(polled[0].revents != 0)) return Wake::ended;
    if (polled[2].revents != 0 || polled[3].revents != 0) return Wake::ready;
  }
}

// Handles the signals that have come. Returns true if the workload has ended, or if a signal ends
// the watching. `some`: the kernel says that there are some.
bool Supervisor::take_signals(bool some) {
  signalfd_siginfo info{};
  bool ended = false;
  bool taken = false;
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    taken = true;
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) {
      ended = ended || reap();  // it can be reaped once
    } else {
      const bool from_terminal = info.ssi_code == SI_KERNEL;
      if (!interrupted_by_ && ends_run(signal, from_terminal)) interrupted_by_ = signal;
      if (command_)
        pass_on(signal, from_terminal);
      else
        ended = ended || interrupted();
      // A workload may ignore SIGTSTP; if it stops, reap() sees this.
      if (signal == SIGTSTP && (!command_ || ended)) stop_with(SIGTSTP);
      if (signal == SIGCONT) lend_terminal();
    }
  }
  if (some && !taken) {
    // The next wait would return at once, with the same signals. So tacho looks for the end itself.
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&kPause, nullptr);
    ended = reap();
  }
  return ended;
}

bool Supervisor::reap() {
  if (!command_) return false;
  int status = 0;
  rusage usage{};
  for (;;) {
    const pid_t pid = look_at(command_->pid(), status, usage);
    if (pid < 0) return lose_sight(errno);
    if (pid != command_->pid()) return false;
    if (WIFCONTINUED(status)) {
      went_on();
      continue;
    }
    if (!WIFSTOPPED(status)) break;
    const int signal = WSTOPSIG(status);
    const bool wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
    if (lent_) {
      lent_ = !give_foreground(::getpgrp());
    } else if (own_group_ && wants_terminal) {
      lend_terminal();
      if (lent_) continue;
    }
    stop_with_workload(signal);
  }
  went_on();
  ending_.has_usage = true;
  ending_.user_s = seconds(usage.ru_utime);
  ending_.system_s = seconds(usage.ru_stime);
  ending_.max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) {
    ending_.signal = WTERMSIG(status);
    ending_.exit_code = 128 + WTERMSIG(status);
  } else {
    ending_.exit_code = WEXITSTATUS(status);
  }
  if (lent_) give_foreground(::getpgrp());
  return true;
}

// The end of a workload that wait4(2) does not tell of: else tacho would wait for ever.
bool Supervisor::lose_sight(int code) {
  ending_.unknown = os_error("cannot learn how the command ended (wait4)", code,
                             "run tacho again; a sandbox must allow wait4(2)");
  ending_.unknown->code = 0;  // a code would mean that the command could not be launched
  ending_.exit_code = 125;
  return true;
}

void Supervisor::pass_on(int signal, bool from_terminal) {
  const pid_t pid = command_->pid();
  const pid_t group = ::getpgid(pid);  // may have changed since the launch
  if (own_group_) {
    ::kill(-pid, signal);
    if (group > 0 && group != pid) ::kill(group == ::getpgrp() ? pid : -group, signal);
  } else if (group > 0 && group != ::getpgrp()) {
    ::kill(-group, signal);
  } else if (!from_terminal) {
    // tacho's group has other processes too (the other commands of a pipeline), so only the
    // workload and its descendants get the signal.
    signal_descendants(pid, signal);
  }
}

// Handles a Ctrl-Z that came before the workload was started, for example between two runs.
void Supervisor::take_early_stop() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  constexpr timespec kNow{};
  if (::sigtimedwait(&stop, nullptr, &kNow) == SIGTSTP) stop_with(SIGTSTP);
}

// Stops tacho too if the workload has stopped, because tacho is the shell's job. Without a terminal
// no shell would continue tacho, unless SIGTSTP came from one.
void Supervisor::stop_with_workload(int signal) {
  if (!stopped_since_) stopped_since_ = Clock::now();
  if (terminal_ || signal == SIGTSTP) stop_with(signal == SIGSTOP ? SIGTSTP : signal);
}

void Supervisor::went_on() {
  if (!stopped_since_) return;
  ending_.stopped_s += std::chrono::duration<double>(Clock::now() - *stopped_since_).count();
  stopped_since_.reset();
}

// Stops tacho as the unblocked signal would. For SIGTSTP, SIGTTIN and SIGTTOU the kernel does not
// stop a group that no shell could continue; for SIGSTOP it does.
void Supervisor::stop_with(int signal) {
  sigset_t one;
  sigset_t old;
  sigemptyset(&one);
  sigaddset(&one, signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &one, &old);  // it stops here
  ::sigprocmask(SIG_SETMASK, &old, nullptr);
}

// Makes the workload's own group the foreground after the shell has made tacho's group the
// foreground.
void Supervisor::lend_terminal() {
  if (!command_ || !own_group_ || lent_ || !terminal_) return;
  if (::tcgetpgrp(terminal_.get()) != ::getpgrp()) return;
  lent_ = give_foreground(command_->pid());
  if (lent_) ::kill(-command_->pid(), SIGCONT);
}

// SIGTTOU is blocked, because it would stop a process outside of the foreground that calls
// tcsetpgrp(3).
bool Supervisor::give_foreground(pid_t group) {
  sigset_t output;
  sigset_t old;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  ::sigprocmask(SIG_BLOCK, &output, &old);
  const bool given = ::tcsetpgrp(terminal_.get(), group) == 0;
  ::sigprocmask(SIG_SETMASK, &old, nullptr);
  return given;
}

}  // namespace tacho
