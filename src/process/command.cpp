#include "process/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/program_files.hpp"
#include "process/dropped_variables.hpp"
#include "process/missing_command.hpp"
#include "process/own_limits.hpp"

namespace tacho {
namespace {

struct Pipe {
  Fd out;
  Fd in;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return os_failure("cannot make a pipe to the workload", errno, "raise 'ulimit -n'");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

ssize_t read_fully(int fd, void* data, std::size_t size) {
  ssize_t got = 0;
  do got = ::read(fd, data, size);
  while (got < 0 && errno == EINTR);
  return got;
}

std::vector<char*> pointers_to(std::span<const std::string> texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Returns `added`, and the environment with which this process was started, without the variables
// that `added` sets.
std::vector<char*> with_environment(std::span<const std::string> added) {
  std::vector<char*> variables = pointers_to(added);
  const auto is_added = [added](std::string_view variable) {
    return std::ranges::any_of(added, [variable](std::string_view other) {
      return variable.starts_with(other.substr(0, other.find('=') + 1));
    });
  };
  variables.pop_back();
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (!is_added(*variable)) variables.push_back(*variable);
  for (char* variable : dropped_variables())
    if (!is_added(variable)) variables.push_back(variable);
  variables.push_back(nullptr);
  return variables;
}

// Returns the files that the command may be, as tacho, in its own working directory, names them.
std::vector<std::string> program_files_of(const Launch& launch) {
  return program_files(launch.argv.front(), launch.directory);
}

// Returns true if there is a file of this command with this access (access(2)), where execvp(3)
// searches. The errno of execvp(3) does not show this. It is ENOENT for a missing interpreter too.
// It is EACCES if a directory of PATH may not be searched, even if there is no such command.
bool is_there(const Launch& launch, int access) {
  if (launch.argv.front().contains('/')) access = F_OK;
  return std::ranges::any_of(program_files_of(launch), [access](const std::string& file) {
    return ::access(file.c_str(), access) == 0;
  });
}

// Returns the remedy for a command that may not be executed.
const char* remedy_of_refusal(const Launch& launch) {
  for (const std::string& file : program_files_of(launch)) {
    struct stat status{};
    struct statvfs system{};
    if (::stat(file.c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) return "it is a directory: give a program in it";
    if (!S_ISREG(status.st_mode) || (status.st_mode & S_IXUSR) == 0) continue;
    if (::statvfs(file.c_str(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0)
      return "its file system is mounted noexec: copy the program to another";
  }
  return "make it executable: chmod +x";
}

// Returns the error of an exec that failed with this errno.
std::unexpected<Error> cannot_run(const Launch& launch, int code) {
  const std::string& name = launch.argv.front();
  if (code == EACCES && !name.contains('/') && !is_there(launch, F_OK)) code = ENOENT;
  if (code == ENOENT && is_there(launch, X_OK))
    return failure(fmt::format("cannot run '{}': the interpreter that it names is missing", name),
                   "check its first line, or the program's architecture", ENOEXEC);
  if (code == ENOENT && !name.empty() && !name.contains('/') &&
      ::access(program_files("./" + name, launch.directory).front().c_str(), X_OK) == 0)
    return failure(fmt::format("'{}': command not found in PATH (ENOENT)", name),
                   fmt::format("give './{}' for the file in the working directory", name), code);
  if (code == ENOENT)
    return failure(fmt::format("'{}': command not found (ENOENT)", name),
                   remedy_of_missing_command(launch.argv), code);
  return os_failure(fmt::format("cannot run '{}'", name), code,
                    code == EACCES ? remedy_of_refusal(launch) : "");
}

// Returns the error of a working directory that chdir(2) refused.
std::unexpected<Error> cannot_enter(const std::string& directory, int code) {
  const char* remedy = "give another directory";
  if (code == ENOENT) remedy = "check its spelling, or make it: mkdir -p";
  if (code == EACCES) remedy = "it and those above it need the right to enter: chmod +x";
  return os_failure(fmt::format("cannot enter the working directory '{}'", directory), code,
                    remedy);
}

// Returns the error of a command that tacho itself could not start. It has no code: codes are those
// of the command and its directory.
std::unexpected<Error> cannot_start(const std::string& name, std::string_view why, int code,
                                    std::string_view remedy) {
  Error error = os_error(fmt::format("cannot start '{}': {}", name, why), code, remedy);
  error.code = 0;
  return std::unexpected(std::move(error));
}

// Returns the errno that an exec of the file would give, or 0 if the file shows no reason to fail.
int expected_errno(const std::string& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode) || ::access(file.c_str(), X_OK) != 0) return EACCES;
  const std::string interpreter = interpreter_of(first_line(file));
  return interpreter.empty() || ::access(interpreter.c_str(), F_OK) == 0 ? 0 : errno;
}

// Returns the errno that chdir(2) to the directory would give, or 0.
int errno_of_directory(const std::string& directory) {
  struct stat status{};
  if (::stat(directory.c_str(), &status) != 0) return errno;
  if (!S_ISDIR(status.st_mode)) return ENOTDIR;
  return ::access(directory.c_str(), X_OK) == 0 ? 0 : errno;
}

}  // namespace

// Why a child could not become the command.
struct Command::Failure {
  enum class Step { go_pipe, streams, addresses, directory, exec };

  Step step = Step::exec;
  int code = 0;  // errno; 0: nothing failed

  std::unexpected<Error> error(const Launch& launch) const {
    const std::string& name = launch.argv.front();
    switch (step) {
      case Step::go_pipe:
        return cannot_start(name, "the pipe to its process failed", code, "run tacho again");
      case Step::streams:
        return cannot_start(name, "a standard stream cannot be set", code,
                            code == EMFILE ? "raise 'ulimit -n'" : "");
      case Step::addresses:
        return cannot_start(name, "its addresses cannot be fixed (personality)", code,
                            "allow personality(2) in the sandbox (docker run --security-opt "
                            "seccomp=unconfined), or let the addresses vary");
      case Step::directory:
        return cannot_enter(launch.directory, code);
      case Step::exec:
        break;
    }
    return cannot_run(launch, code);
  }
};

// Everything that the child uses until its exec, because it runs in the memory of the parent.
struct Command::Child {
  Launch launch;
  std::vector<std::string> files;  // that the command may be, as named in its working directory
  std::vector<char*> words;
  std::vector<char*> environment;
  int go = -1;          // a byte from here lets it exec; end of file ends it
  int parents_go = -1;  // the parent's end of this pipe
  int failed = -1;      // its Failure goes here
  bool own_group = false;
  pid_t parent = -1;
  SignalState signals;
  std::unique_ptr<std::byte[]> stack;

  // Writes to no memory except its stack, and to errno if something failed after the parent's go;
  // the parent waits at that time. It calls only async-signal-safe functions, as after fork(2).
  __attribute__((no_sanitize("address", "thread"))) static int become(void* itself) {
    const Child& my = *static_cast<const Child*>(itself);
    ::close(my.parents_go);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != my.parent) ::_exit(125);  // the parent died before prctl()
    if (my.own_group) ::setpgid(0, 0);
    if (!my.signals.pipe_ignored) ::signal(SIGPIPE, SIG_DFL);
    if (my.signals.children_ignored) ::signal(SIGCHLD, SIG_IGN);
    restore_own_limits();
    ::sigprocmask(SIG_SETMASK, &my.signals.mask, nullptr);
    char byte = 0;
    const ssize_t got = read_fully(my.go, &byte, 1);
    if (got == 0) ::_exit(125);  // the parent gave up
    const Failure failure = got == 1 ? my.execute() : Failure{Failure::Step::go_pipe, errno};
    if (::write(my.failed, &failure, sizeof failure) != sizeof failure) ::_exit(126);
    ::_exit(127);
  }

  // Returns the reason if it does not become the command.
  __attribute__((no_sanitize("address", "thread"))) Failure execute() const {
    if (!set_streams()) return {Failure::Step::streams, errno};
    if (launch.fixed_addresses && !fix_addresses()) return {Failure::Step::addresses, errno};
    if (!launch.directory.empty() && ::chdir(launch.directory.c_str()) != 0)
      return {Failure::Step::directory, errno};
    return {Failure::Step::exec, exec_first()};
  }

  // First copies all, because a descriptor may be one that another stream replaces. The copies are
  // close-on-exec, and dup2(2) clears that.
  __attribute__((no_sanitize("address", "thread"))) bool set_streams() const {
    std::array<int, 3> streams = {launch.input, launch.output, launch.error};
    for (int& stream : streams)
      if (stream >= 0 && (stream = ::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) < 0)
        return false;
    int target = STDIN_FILENO;
    for (const int stream : streams) {
      if (stream >= 0 && ::dup2(stream, target) < 0) return false;
      ++target;
    }
    return true;
  }

  __attribute__((no_sanitize("address", "thread"))) static bool fix_addresses() {
    constexpr unsigned long kAsk = 0xffffffff;  // returns the personality and changes nothing
    const int now = ::personality(kAsk);
    return now >= 0 && ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) >= 0;
  }

  // As execvp(3): it goes on along PATH, and remembers EACCES. Returns the errno. Each file has a
  // slash, so execvpe(3) searches nothing; it runs scripts that name no interpreter.
  __attribute__((no_sanitize("address", "thread"))) int exec_first() const {
    int code = ENOENT;
    bool refused = false;
    for (const std::string& file : files) {
      ::execvpe(file.c_str(), words.data(), environment.data());
      code = errno;
      refused = refused || code == EACCES;
      if (code != EACCES && code != ENOENT && code != ENOTDIR && code != ESTALE && code != ENODEV &&
          code != ETIMEDOUT)
        return code;
    }
    return refused ? EACCES : code;
  }

  // Starts the child in the parent's memory. fork(2) would copy each page that either side writes,
  // which is a tenth of the time of a launch. Valgrind fails at such a process, and emulators of
  // user space refuse it (EINVAL); under these the child gets a copy.
  pid_t start() {
    // If a script names no interpreter, execvpe(3) puts the words on the stack.
    const std::size_t size = (64 << 10) + words.size() * 16;
    stack = std::make_unique_for_overwrite<std::byte[]>(size);
    const auto clone = [&](int flags) {
      return ::clone(become, stack.get() + size, flags | SIGCHLD, this);
    };
    const char* preloaded = std::getenv("LD_PRELOAD");
    if (preloaded != nullptr && std::string_view(preloaded).contains("vgpreload")) return clone(0);
    const pid_t pid = clone(CLONE_VM);
    return pid >= 0 || errno != EINVAL ? pid : clone(0);
  }
};

Command::Command() = default;
Command::Command(Command&&) noexcept = default;
Command& Command::operator=(Command&&) noexcept = default;

Result<Command> Command::prepare(const Launch& launch, bool own_group, const SignalState& signals) {
  Pipe go = TACHO_TRY(make_pipe());
  Pipe failed = TACHO_TRY(make_pipe());
  auto child = std::make_unique<Child>();
  child->launch = launch;
  child->files = program_files(launch.argv.front());
  child->words = pointers_to(child->launch.argv);
  child->environment = with_environment(child->launch.environment);
  child->go = go.out.get();
  child->parents_go = go.in.get();
  child->failed = failed.in.get();
  child->own_group = own_group;
  child->parent = ::getpid();
  child->signals = signals;

  const pid_t pid = child->start();
  if (pid < 0)
    return os_failure("cannot start a process for the workload", errno,
                      errno == EAGAIN ? "raise 'ulimit -u', or pids.max of the control group (a "
                                        "container's limit of processes)"
                                      : "");
  if (own_group) ::setpgid(pid, pid);  // the child does it too: the first one counts
  Command command;
  command.child_ = std::move(child);
  command.pid_ = pid;
  command.go_ = std::move(go.in);
  command.failed_ = std::move(failed.out);
  return command;
}

Command::~Command() {
  if (!go_) return;
  go_.reset();  // the child reads end of file and leaves
  reap();
}

Result<void> Command::release(const std::function<void()>& look) {
  const char byte = 0;
  ssize_t sent = 0;
  do sent = ::write(go_.get(), &byte, 1);
  while (sent < 0 && errno == EINTR);
  const int refused = sent == 1 ? 0 : errno;
  go_.reset();
  // If a signal has ended the child before its exec, the owner sees this when it reaps the child.
  if (refused == EPIPE) return {};
  if (refused != 0) {
    reap();  // the child has read end of file
    return Failure{Failure::Step::go_pipe, refused}.error(child_->launch);
  }
  const Failure failure = await_exec(look);
  if (failure.code == 0) return {};
  reap();
  return failure.error(child_->launch);
}

// Waits for the exec, or for the child's reason why there is none.
Command::Failure Command::await_exec(const std::function<void()>& look) {
  constexpr int kLookEvery = 20;  // ms
  constexpr int kMostTries = 3;   // without an answer the command counts as started: it may run
  pollfd answer{failed_.get(), POLLIN, 0};
  for (int ready = 0; ready <= 0;) {
    ready = ::poll(&answer, 1, kLookEvery);
    if (ready < 0 && errno != EINTR) break;  // then the read waits
    if (ready <= 0) look();
  }
  Failure failure;
  ssize_t got = -1;
  for (int i = 0; got < 0 && i < kMostTries; ++i)
    got = read_fully(failed_.get(), &failure, sizeof failure);
  failed_.reset();
  return got == sizeof failure ? failure : Failure{};
}

void Command::reap() const {
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<void> can_run(const Launch& launch) {
  if (!launch.directory.empty())
    if (const int code = errno_of_directory(launch.directory); code != 0)
      return cannot_enter(launch.directory, code);
  int code = ENOENT;
  for (const std::string& file : program_files_of(launch)) {
    const int found = expected_errno(file);
    if (found == 0) return {};
    // As execvp(3): it goes on along PATH, and remembers EACCES.
    if (code == ENOENT && (found != ENOTDIR || launch.argv.front().contains('/'))) code = found;
  }
  return cannot_run(launch, code);
}

}  // namespace tacho
