#include "process/capture/output_capture.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

namespace tacho {
namespace {

constexpr const char* kMoreFiles = "raise 'ulimit -n'";

// Keeps at least the last `most` bytes, and at most twice as many.
void append_to_tail(std::string& tail, std::string_view piece, std::size_t most) {
  tail += piece.substr(piece.size() - std::min(piece.size(), most));
  if (tail.size() > 2 * most) tail.erase(0, tail.size() - most);
}

}  // namespace

// A pipe whose writers can read it, too, never lacks a reader, so nobody gets SIGPIPE. Linux gives
// such an end through /proc. Without /proc the end is an ordinary one. If SIGKILL ends tacho, the
// processes that the command has started wait at the full pipe.
Result<OutputCapture::Pipe> OutputCapture::make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return os_failure("cannot make a pipe for the command's output", errno, kMoreFiles);
  Pipe made{Fd(ends[0]), Fd(ends[1])};
  ::fcntl(made.from.get(), F_SETFL, O_NONBLOCK);
  Fd both(::open(fmt::format("/proc/self/fd/{}", ends[1]).c_str(), O_RDWR | O_CLOEXEC));
  if (both) made.end = std::move(both);
  return made;
}

Result<std::unique_ptr<OutputCapture>> OutputCapture::start() {
  std::unique_ptr<OutputCapture> made(new OutputCapture);
  made->output_ = TACHO_TRY(make_pipe());
  made->error_ = TACHO_TRY(make_pipe());
  made->stop_ = Fd(::eventfd(0, EFD_CLOEXEC));
  if (!made->stop_) return os_failure("cannot make an eventfd", errno, kMoreFiles);
  TACHO_TRY(made->start_thread());
  return made;
}

// The thread blocks all signals: they are for the Supervisor's thread.
Result<void> OutputCapture::start_thread() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int code = 0;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    code = error.code().value();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (code == 0) return {};
  return os_failure("cannot start a thread that reads the command's output", code,
                    "raise 'ulimit -u'");
}

void OutputCapture::run() {
  std::array<pollfd, 3> polled = {pollfd{stop_.get(), POLLIN, 0},
                                  pollfd{output_.from.get(), POLLIN, 0},
                                  pollfd{error_.from.get(), POLLIN, 0}};
  for (;;) {
    if (::poll(polled.data(), polled.size(), -1) <= 0) continue;
    if (polled[0].revents != 0) break;
    if (polled[1].revents != 0) take(output_, piece_.size());
    if (polled[2].revents != 0) take(error_, piece_.size());
  }
  take_rest(output_);
  take_rest(error_);
}

// Reads at most `most` bytes of what is in the pipe. Returns their number.
std::size_t OutputCapture::take(const Pipe& pipe, std::size_t most) {
  const ssize_t got = ::read(pipe.from.get(), piece_.data(), std::min(most, piece_.size()));
  if (got <= 0) return 0;
  const std::string_view piece(piece_.data(), static_cast<std::size_t>(got));
  append_to_tail(tail_, piece, CapturedOutput::kMostTail);
  if (&pipe == &output_) digest_.add(piece);
  return piece.size();
}

// Reads what is in the pipe now. Others may write as fast as it is read.
void OutputCapture::take_rest(const Pipe& pipe) {
  int left = 0;
  ::ioctl(pipe.from.get(), FIONREAD, &left);
  for (auto rest = static_cast<std::size_t>(left); rest > 0;) {
    const std::size_t got = take(pipe, rest);
    if (got == 0) return;
    rest -= got;
  }
}

void OutputCapture::stop() {
  if (!thread_.joinable()) return;
  // Of the open file, so for all writers.
  for (const int end : {output(), error()}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
  output_ = {};
  error_ = {};
}

CapturedOutput OutputCapture::finish() {
  stop();
  tail_.erase(0, tail_.size() - std::min(tail_.size(), CapturedOutput::kMostTail));
  return {.tail = std::move(tail_), .bytes = digest_.bytes(), .digest = digest_.value()};
}

}  // namespace tacho
