#include "cli/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace tacho {

Result<Fd> take_standard_output() {
  constexpr const char* kRemedy = "pipe it: tacho record -o - … | tacho report -i -";
  if (::isatty(STDOUT_FILENO) != 0)
    return failure("a recording is not written to a terminal", kRemedy);
  Fd taken(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!taken || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return os_failure("cannot write a recording to standard output", errno, kRemedy);
  return taken;
}

}  // namespace tacho
