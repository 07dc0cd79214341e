// tacho: measures what a processor did.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

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
    static_cast<void>(std::fprintf(stderr, "tacho: error: %s\n", error.what()));
    return tacho::kOwnFailure;
  }
}
