#include "process/stepped_child.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace tacho {
namespace {

constexpr const char* kEnded = "a child process that tacho measures ended before its work";

bool send_byte(int link) {
  const char byte = 1;
  ssize_t got = 0;
  do got = ::send(link, &byte, 1, MSG_NOSIGNAL);
  while (got < 0 && errno == EINTR);
  return got == 1;
}

bool receive_byte(int link) {
  char byte = 0;
  ssize_t got = 0;
  do got = ::recv(link, &byte, 1, 0);
  while (got < 0 && errno == EINTR);
  return got == 1;
}

void wait_for_end(pid_t pid, int& status) {
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

// The life of the child. A signal that the parent blocks or handles gets its usual meaning back.
[[noreturn]] void live(const std::function<void(int)>& work, int link, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int step = 0; receive_byte(link); ++step) {
    work(step);
    if (!send_byte(link)) break;
  }
  ::_exit(0);
}

}  // namespace

Result<SteppedChild> SteppedChild::start(const std::function<void(int step)>& work) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return os_failure("cannot make a socket for a child process", errno, "raise 'ulimit -n'");
  SteppedChild child;
  child.link_ = Fd(ends[0]);
  const Fd of_child(ends[1]);
  const pid_t parent = ::getpid();
  child.pid_ = ::fork();
  if (child.pid_ < 0) return os_failure("cannot start a child process", errno, "raise 'ulimit -u'");
  if (child.pid_ == 0) {
    child.link_.reset();  // else the child would not see that the parent closes it
    live(work, of_child.get(), parent);
  }
  return child;
}

SteppedChild::SteppedChild(SteppedChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), link_(std::move(other.link_)) {}

SteppedChild::~SteppedChild() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  wait_for_end(pid_, status);
}

Result<void> SteppedChild::begin_step() const {
  if (send_byte(link_.get())) return {};
  return failure(kEnded);
}

Result<void> SteppedChild::end_step() const {
  if (receive_byte(link_.get())) return {};
  return failure(kEnded);
}

Result<void> SteppedChild::step() const {
  TACHO_TRY(begin_step());
  return end_step();
}

bool run_in_child(const std::function<void()>& work) {
  const pid_t pid = ::fork();
  if (pid < 0) return false;
  if (pid == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  wait_for_end(pid, status);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tacho
