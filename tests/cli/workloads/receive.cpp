// receive: tells which signals it gets, and survives them.
//
//   receive [group]
//
// Prints `ready`, then the number of each signal when it comes, one a line, until standard input
// ends. With `group` it first joins a new process group that a child leads.
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace {

// Joins a new group; returns the child that leads it, or -1.
pid_t change_group() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // in case that nobody ends it
    for (;;) ::pause();
  }
  return child > 0 && ::setpgid(child, child) == 0 && ::setpgid(0, child) == 0 ? child : -1;
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t all;
  sigemptyset(&all);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    sigaddset(&all, signal);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  const int signals = ::signalfd(-1, &all, SFD_NONBLOCK);
  pid_t child = 0;
  if (argc > 1 && std::strcmp(argv[1], "group") == 0) child = change_group();
  if (child < 0) return 1;

  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::puts("ready");
  std::array<pollfd, 2> polled = {pollfd{signals, POLLIN, 0}, pollfd{STDIN_FILENO, POLLIN, 0}};
  for (;;) {
    ::poll(polled.data(), polled.size(), -1);
    signalfd_siginfo info{};
    while (::read(signals, &info, sizeof info) == sizeof info) std::printf("%u\n", info.ssi_signo);
    char byte = 0;
    if (polled[1].revents != 0 && ::read(STDIN_FILENO, &byte, 1) <= 0) break;
  }
  if (child > 0) ::kill(child, SIGKILL);
}
