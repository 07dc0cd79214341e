#include "process/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ranges>
#include <string_view>
#include <vector>

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

// In the child, between fork and exec. Only async-signal-safe calls.
[[noreturn]] void become(char* const* argv, int go, int failed, bool own_group, pid_t parent,
                         const SignalState& signals) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(125);  // it died before we could ask
  if (own_group) ::setpgid(0, 0);
  if (!signals.pipe_ignored) ::signal(SIGPIPE, SIG_DFL);
  if (signals.children_ignored) ::signal(SIGCHLD, SIG_IGN);
  ::sigprocmask(SIG_SETMASK, &signals.mask, nullptr);
  char byte = 0;
  if (read_fully(go, &byte, 1) != 1) ::_exit(125);
  ::execvp(argv[0], argv);
  const int code = errno;
  if (::write(failed, &code, sizeof code) != sizeof code) ::_exit(126);
  ::_exit(127);
}

// Whether execvp has found a file of that name, with that access (access(2)). Its errno alone does
// not tell: a missing interpreter gives ENOENT too, and a directory of PATH that may not be
// searched gives EACCES although there is no such command.
bool is_there(const std::string& name, int access) {
  if (name.contains('/')) return ::access(name.c_str(), F_OK) == 0;
  const char* path = std::getenv("PATH");
  for (const auto part : std::views::split(std::string_view(path != nullptr ? path : ""), ':')) {
    const std::string directory(part.begin(), part.end());
    if (::access(fmt::format("{}/{}", directory.empty() ? "." : directory, name).c_str(), access) ==
        0)
      return true;
  }
  return false;
}

}  // namespace

Result<Command> Command::prepare(std::span<const std::string> argv, bool own_group,
                                 const SignalState& signals) {
  auto go = make_pipe();
  if (!go) return std::unexpected(go.error());
  auto failed = make_pipe();
  if (!failed) return std::unexpected(failed.error());
  std::vector<char*> pointers;
  for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return os_failure("cannot start a process for the workload", errno);
  if (pid == 0) {
    go->in.reset();
    failed->out.reset();
    become(pointers.data(), go->out.get(), failed->in.get(), own_group, parent, signals);
  }
  if (own_group) ::setpgid(pid, pid);  // both sides do it, so that neither can be too late
  Command command;
  command.name_ = argv.front();
  command.pid_ = pid;
  command.go_ = std::move(go->in);
  command.failed_ = std::move(failed->out);
  return command;
}

Command::~Command() {
  if (!go_) return;
  go_.reset();  // the child reads end of file and leaves
  ::waitpid(pid_, nullptr, 0);
}

Result<void> Command::release() {
  const char byte = 0;
  // When the child is dead already (a signal before exec), reaping it tells so.
  const bool alive = ::write(go_.get(), &byte, 1) == 1;
  go_.reset();
  if (!alive) return {};
  int code = 0;
  const ssize_t got = read_fully(failed_.get(), &code, sizeof code);
  failed_.reset();
  if (got != sizeof code) return {};
  ::waitpid(pid_, nullptr, 0);
  if (code == EACCES && !name_.contains('/') && !is_there(name_, F_OK)) code = ENOENT;
  if (code == ENOENT && is_there(name_, X_OK))
    return failure(fmt::format("cannot run '{}': the interpreter that it names is missing", name_),
                   "check its first line, or the program's architecture", ENOEXEC);
  if (code == ENOENT)
    return failure(fmt::format("'{}': command not found (ENOENT)", name_),
                   "check the spelling and PATH", code);
  return os_failure(fmt::format("cannot run '{}'", name_), code,
                    code == EACCES ? "make it executable: chmod +x" : "");
}

}  // namespace tacho
