#include "process/run_with_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/program_files.hpp"
#include "process/own_limits.hpp"

namespace tacho {

Result<Fd> memory_file(std::string_view bytes) {
  Fd file(::memfd_create("tacho-input", MFD_CLOEXEC));
  if (!file) return os_failure("cannot make a file in memory", errno);
  TACHO_TRY(write_all(file.get(), bytes, "a file in memory"));
  if (::lseek(file.get(), 0, SEEK_SET) < 0) return os_failure("cannot rewind a file", errno);
  return file;
}

Result<void> run_with_input(std::span<const std::string> argv, std::string_view input) {
  const std::string& name = argv.front();
  const auto program = find_helper(name);
  if (!program) return os_failure(fmt::format("cannot run '{}'", name), ENOENT);
  const Fd in = TACHO_TRY(memory_file(input));
  HelperEnvironment environment;

  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.get(), STDIN_FILENO);
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
  std::optional<RestoredLimits> as_before(std::in_place);
  const int code = ::posix_spawn(&pid, program->c_str(), &files, &attributes, words.data(),
                                 environment.variables());
  as_before.reset();
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return os_failure(fmt::format("cannot run '{}'", name), code);

  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return os_failure(fmt::format("cannot wait for '{}'", name), errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status))
    return failure(fmt::format("'{}' failed with status {}", name, WEXITSTATUS(status)));
  return failure(fmt::format("signal {} ended '{}'", WTERMSIG(status), name));
}

}  // namespace tacho
