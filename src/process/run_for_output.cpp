#include "process/run_for_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/program_files.hpp"
#include "process/own_limits.hpp"
#include "process/run_with_input.hpp"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

// Reads until the end of the file, until `end`, or until there are more than `most` bytes.
Result<std::string> read_all(int fd, const std::string& name, Clock::time_point end,
                             std::size_t most) {
  std::string output;
  std::array<char, 4096> piece{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd ready{fd, POLLIN, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::max<long long>(left.count(), 0)));
    if (found < 0 && errno == EINTR) continue;
    if (found < 0) return os_failure(fmt::format("cannot wait for '{}'", name), errno);
    if (found == 0) return failure(fmt::format("'{}' took too long", name));
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_failure(fmt::format("cannot read from '{}'", name), errno);
    if (got == 0) return output;
    output.append(piece.data(), static_cast<std::size_t>(got));
    if (output.size() > most)
      return failure(fmt::format("'{}' printed more than {} bytes", name, most));
  }
}

Result<pid_t> start(std::span<const std::string> argv, int in, int out) {
  const auto program = find_helper(argv.front());
  if (!program) return os_failure(fmt::format("cannot run '{}'", argv.front()), ENOENT);
  HelperEnvironment environment;
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  std::optional<RestoredLimits> as_before(std::in_place);
  const int code =
      ::posix_spawn(&pid, program->c_str(), &files, nullptr, words.data(), environment.variables());
  as_before.reset();
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return os_failure(fmt::format("cannot run '{}'", argv.front()), code);
  return pid;
}

}  // namespace

Result<std::string> run_for_output(std::span<const std::string> argv, std::string_view input,
                                   std::chrono::milliseconds time, std::size_t most) {
  const std::string& name = argv.front();
  const auto end = Clock::now() + time;
  const Fd in = TACHO_TRY(memory_file(input));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return os_failure("cannot make a pipe", errno);
  const Fd from(ends[0]);
  Fd to(ends[1]);

  const pid_t pid = TACHO_TRY(start(argv, in.get(), to.get()));
  to.reset();
  auto output = read_all(from.get(), name, end, most);
  if (!output) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return os_failure(fmt::format("cannot wait for '{}'", name), errno);
  if (output && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
    return failure(fmt::format("'{}' failed", name));
  return output;
}

}  // namespace tacho
