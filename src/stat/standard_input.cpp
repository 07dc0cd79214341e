#include "stat/standard_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tacho {
namespace {

// Nobody writes to it any more, and all has been read.
bool is_at_end() {
  constexpr short kClosed = POLLHUP | POLLRDHUP;
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN | POLLRDHUP, .revents = 0};
  int left = 0;
  return ::poll(&input, 1, 0) == 1 && (input.revents & kClosed) != 0 &&
         ::ioctl(STDIN_FILENO, FIONREAD, &left) == 0 && left == 0;
}

}  // namespace

StandardInput::StandardInput() {
  struct stat input{};
  if (::fstat(STDIN_FILENO, &input) != 0) return;
  flows_ = (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode)) && !is_at_end();
  // One that is written to as well may be the output, whose place is not to be touched.
  const bool only_read = (::fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;
  if (!only_read || (!S_ISREG(input.st_mode) && !S_ISBLK(input.st_mode))) return;
  const off_t place = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (place >= 0) place_ = place;
}

void StandardInput::begin_again() {
  if (place_) (void)::lseek(STDIN_FILENO, *place_, SEEK_SET);
  ran_dry_ = ran_dry_ || (flows_ && is_at_end());
}

}  // namespace tacho
