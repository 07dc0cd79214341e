#include "process/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/program_files.hpp"
#include "process/dropped_variables.hpp"
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

// Returns true if there is a file of this name with this access (access(2)), where execvp(3)
// searches. The errno of execvp(3) does not show this. It is ENOENT for a missing interpreter too.
// It is EACCES if a directory of PATH may not be searched, even if there is no such command.
bool is_there(const std::string& name, int access) {
  if (name.contains('/')) access = F_OK;
  return std::ranges::any_of(program_files(name), [access](const std::string& file) {
    return ::access(file.c_str(), access) == 0;
  });
}

// Returns the remedy for a command that may not be executed.
const char* remedy_of_refusal(const std::string& name) {
  for (const std::string& file : program_files(name)) {
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
std::unexpected<Error> cannot_run(const std::string& name, int code) {
  if (code == EACCES && !name.contains('/') && !is_there(name, F_OK)) code = ENOENT;
  if (code == ENOENT && is_there(name, X_OK))
    return failure(fmt::format("cannot run '{}': the interpreter that it names is missing", name),
                   "check its first line, or the program's architecture", ENOEXEC);
  if (code == ENOENT && !name.empty() && !name.contains('/') && ::access(name.c_str(), X_OK) == 0)
    return failure(fmt::format("'{}': command not found in PATH (ENOENT)", name),
                   fmt::format("give './{}' for the file in the working directory", name), code);
  if (code == ENOENT)
    return failure(fmt::format("'{}': command not found (ENOENT)", name),
                   "check the spelling and PATH", code);
  return os_failure(fmt::format("cannot run '{}'", name), code,
                    code == EACCES ? remedy_of_refusal(name) : "");
}

// Returns the error of a command that tacho itself could not start. It has no code: codes are those
// of an exec.
std::unexpected<Error> cannot_start(const std::string& name, int code) {
  Error error = os_error(fmt::format("cannot start '{}': the pipe to its process failed", name),
                         code, "run tacho again");
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

}  // namespace

// Everything that the child uses until its exec, because it runs in the memory of the parent.
struct Command::Child {
  std::vector<std::string> argv;
  std::vector<std::string> added;  // to the environment
  std::vector<std::string> files;  // that the command may be
  std::vector<char*> words;
  std::vector<char*> environment;
  int go = -1;          // a byte from here lets it exec; end of file ends it
  int parents_go = -1;  // the parent's end of this pipe
  int failed = -1;      // the errno of a failed exec goes here; -errno if `go` could not be read
  bool own_group = false;
  pid_t parent = -1;
  SignalState signals;
  std::unique_ptr<std::byte[]> stack;

  // Writes to no memory except its stack, and to errno if the exec failed; the parent waits at that
  // time. It calls only async-signal-safe functions, as after fork(2).
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
    const ssize_t told = read_fully(my.go, &byte, 1);
    if (told == 0) ::_exit(125);  // the parent gave up
    const int code = told == 1 ? my.execute() : -errno;
    if (::write(my.failed, &code, sizeof code) != sizeof code) ::_exit(126);
    ::_exit(127);
  }

  // As execvp(3): it goes on along PATH, and remembers EACCES. Returns the errno. Each file has a
  // slash, so execvpe(3) searches nothing; it runs scripts that name no interpreter.
  __attribute__((no_sanitize("address", "thread"))) int execute() const {
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

Result<Command> Command::prepare(std::span<const std::string> argv,
                                 std::span<const std::string> environment, bool own_group,
                                 const SignalState& signals) {
  Pipe go = TACHO_TRY(make_pipe());
  Pipe failed = TACHO_TRY(make_pipe());
  auto child = std::make_unique<Child>();
  child->argv.assign(argv.begin(), argv.end());
  child->added.assign(environment.begin(), environment.end());
  child->files = program_files(child->argv.front());
  child->words = pointers_to(child->argv);
  child->environment = with_environment(child->added);
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
    return cannot_start(child_->argv.front(), refused);
  }
  const int code = await_exec(look);
  if (code == 0) return {};
  reap();
  if (code < 0) return cannot_start(child_->argv.front(), -code);
  return cannot_run(child_->argv.front(), code);
}

// Waits for the exec. Returns 0, the errno of the exec that failed, or -errno of a go-pipe that the
// child could not read.
int Command::await_exec(const std::function<void()>& look) {
  constexpr int kLookEvery = 20;  // ms
  constexpr int kMostTries = 3;   // without an answer the command counts as started: it may run
  pollfd answer{failed_.get(), POLLIN, 0};
  for (int ready = 0; ready <= 0;) {
    ready = ::poll(&answer, 1, kLookEvery);
    if (ready < 0 && errno != EINTR) break;  // then the read waits
    if (ready <= 0) look();
  }
  int code = 0;
  ssize_t got = -1;
  for (int i = 0; got < 0 && i < kMostTries; ++i)
    got = read_fully(failed_.get(), &code, sizeof code);
  failed_.reset();
  return got == sizeof code ? code : 0;
}

void Command::reap() const {
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<void> can_run(const std::string& name) {
  int code = ENOENT;
  for (const std::string& file : program_files(name)) {
    const int found = expected_errno(file);
    if (found == 0) return {};
    // As execvp(3): it goes on along PATH, and remembers EACCES.
    if (code == ENOENT && (found != ENOTDIR || name.contains('/'))) code = found;
  }
  return cannot_run(name, code);
}

}  // namespace tacho
