// Takes the output of a command while it runs: for a digest of it, and to show its end if the
// command fails. Memory is bounded, whatever the command prints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "process/capture/output_digest.hpp"

namespace tacho {

struct CapturedOutput {
  static constexpr std::size_t kMostTail = 8 << 10;

  std::string tail;          // the last bytes of both streams together, in the order read
  std::uint64_t bytes = 0;   // of standard output
  std::uint64_t digest = 0;  // of standard output (output_digest.hpp)
};

// Two pipes, and a thread that reads both at once, so the command never waits for its output. One
// thread calls the functions.
class OutputCapture {
 public:
  static Result<std::unique_ptr<OutputCapture>> start();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;
  ~OutputCapture() { stop(); }

  // The ends for the command (Launch::output and Launch::error). They are close-on-exec.
  int output() const { return output_.end.get(); }
  int error() const { return error_.end.get(); }

  // To be called after the command has ended. Takes what is in the pipes now and does not wait for
  // others that still have them, such as a daemon that the command left behind. What a daemon
  // writes later goes to nobody. It gets no SIGPIPE and does not wait: its writes succeed until the
  // pipe is full, and then fail (EAGAIN).
  CapturedOutput finish();

 private:
  struct Pipe {
    Fd from;
    Fd end;  // of the command
  };

  OutputCapture() = default;
  static Result<Pipe> make_pipe();
  Result<void> start_thread();
  void run();
  std::size_t take(const Pipe& pipe, std::size_t most);
  void take_rest(const Pipe& pipe);
  void stop();

  Pipe output_;
  Pipe error_;
  Fd stop_;  // an eventfd: the thread ends
  std::thread thread_;
  // Of the thread, until it has ended:
  std::array<char, 64 << 10> piece_{};  // as much as a pipe has
  std::string tail_;
  OutputDigest digest_;
};

}  // namespace tacho
