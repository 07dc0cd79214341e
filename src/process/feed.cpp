#include "process/feed.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "base/fd.hpp"
#include "base/file.hpp"

namespace tacho {

Result<void> feed(std::span<const std::string> argv, std::string_view input) {
  const std::string& name = argv.front();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return os_failure("cannot make a pipe", errno);
  Fd out(ends[0]), in(ends[1]);

  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, out.get(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int code = ::posix_spawnp(&pid, name.c_str(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return os_failure(fmt::format("cannot run '{}'", name), code);

  out.reset();
  const auto written = write_all(in.get(), input, name);
  in.reset();
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return os_failure(fmt::format("cannot wait for '{}'", name), errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return written;
  return failure(WIFEXITED(status)
                     ? fmt::format("'{}' failed with status {}", name, WEXITSTATUS(status))
                     : fmt::format("signal {} ended '{}'", WTERMSIG(status), name));
}

}  // namespace tacho
