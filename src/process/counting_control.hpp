// What turns counting on and off from outside while a run goes on: commands in the protocol of
// perf's --control, and processes that run a named region.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

enum class ControlCommand { enable, disable, stop, ping };

class CountingControl {
 public:
  // Opens a channel that the user names: "fd:COMMANDS[,ANSWERS]" or "fifo:COMMANDS[,ANSWERS]".
  static Result<std::unique_ptr<CountingControl>> open_channel(std::string_view name);
  // Makes a socket for the processes of the command, which send commands (tacho/control.hpp).
  static Result<std::unique_ptr<CountingControl>> open_program();
  // Makes a socket for the processes that run the region. Any number of them may be in it: counting
  // is on as long as one is.
  static Result<std::unique_ptr<CountingControl>> open_region(std::string_view region);
  CountingControl(const CountingControl&) = delete;
  CountingControl& operator=(const CountingControl&) = delete;
  ~CountingControl();

  // Variables for the command, as NAME=VALUE, by which it or tacho's library finds the channel.
  const std::vector<std::string>& variables() const { return variables_; }
  // Becomes readable when there may be a command.
  int descriptor() const { return ready_.get(); }
  // Has the commands that have come obeyed, one after the other, and tells whoever waits for each.
  void obey(const std::function<void(ControlCommand)>& obeyed);
  // About commands that tacho does not have, and processes that did not wait for it. Counting was
  // on for `on_s` seconds in all.
  std::vector<std::string> warnings(double on_s) const;
  // Why counting was never turned on, and the remedy.
  std::string why_never_on() const;

 private:
  // One that sends commands: the channel, or a process.
  struct Sender {
    Fd own;
    int commands = -1;
    int answers = -1;
    std::string begun{};  // a command whose end has not come yet
    bool inside = false;  // of a process: it runs the region
  };

  struct Waiting {
    ControlCommand command;
    int answer_to = -1;  // the descriptor that waits for the answer; -1: nobody waits
  };

  CountingControl() = default;
  static Result<std::unique_ptr<CountingControl>> open_socket(const char* option,
                                                              std::string& name);
  Result<void> wait_for(int descriptor);
  void receive();
  void answer(int descriptor);
  void accept_processes();
  bool read_from(Sender& sender);  // false: it has gone
  void take(Sender& sender, std::string line);
  void leave(Sender& sender);

  Fd ready_;     // epoll
  Fd listener_;  // of the command's processes
  Fd answers_;   // of a channel
  std::vector<std::unique_ptr<Sender>> senders_;
  std::deque<Waiting> waiting_;
  std::vector<std::string> variables_;
  std::vector<std::string> unknown_;  // commands, each once
  bool more_unknown_ = false;         // than these
  bool did_not_wait_ = false;         // a process that had asked for something
  std::size_t inside_ = 0;            // processes that run the region
  std::uint64_t executions_ = 0;      // times that one began to
  std::string region_;                // empty: the processes send commands
};

// Why counting was never on in a run that began with counting off. `control` may be null.
std::string why_never_on(const CountingControl* control);

}  // namespace tacho
