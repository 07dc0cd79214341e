// tacho: measures what a processor did.
#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <new>

#include "base/privileges.hpp"
#include "cli/failure.hpp"
#include "cli/subcommands.hpp"
#include "process/own_limits.hpp"

namespace {

// Nothing that tacho opens may become its standard output. What was closed stays so for the
// workload (O_CLOEXEC), and can't be read or written here (O_PATH).
void keep_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/", O_PATH | O_CLOEXEC));  // the lowest
}

}  // namespace

int main(int argc, char** argv) {
  try {
    keep_standard_descriptors();
    if (tacho::runs_as_another_user())
      return tacho::fail(
          {.what = "this file of tacho is set-user-ID or set-group-ID: it would run commands and "
                   "write files as another user",
           .remedy = "chmod ug-s it; 'setcap cap_perfmon=ep' gives it the right to measure"});
    tacho::adjust_own_limits();
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const bool older_name = argc > 0 && tacho::is_rpistat(argv[0]);
    return older_name ? tacho::run_rpistat(words) : tacho::run_tacho(words);
  } catch (const std::bad_alloc&) {
    return tacho::fail({.what = "there is not enough memory",
                        .remedy =
                            "raise 'ulimit -v' and '-d', or the control group's memory.max (a "
                            "container's limit of memory)"});
  } catch (const std::exception& error) {
    return tacho::fail({.what = error.what(), .remedy = {}});
  }
}
