// The counters of a made-up machine: hands out the kernel's clocks in place of a PMU's events, on
// the CPUs of the PMU, and remembers the groups.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "machine.hpp"
#include "notifications.hpp"
#include "rules.hpp"

namespace made_up {

class Counters {
 public:
  // `nowhere` is a CPU on which the command never runs, if there is one.
  Counters(const Machine& machine, std::optional<int> nowhere)
      : machine_(machine), nowhere_(nowhere) {}

  // Answers the call. Returns the line of the log.
  std::string serve(const WaitingCall& waiting);

 private:
  std::string open_event(const WaitingCall& waiting);
  std::string change_period(const WaitingCall& waiting) const;
  const Call* made_up(std::uint64_t id) const;

  struct Opened {
    Member member;
    int descriptor = -1;   // in the calling process
    std::uint64_t id = 0;  // the kernel's
  };
  struct Group {
    pid_t process = 0;           // that opened it
    int cpu = -1;                // of its events, as the kernel knows them
    std::vector<Opened> events;  // the leader first
  };
  // A descriptor of this process, or errno.
  struct Attempt {
    tacho::Fd fd;
    int code = 0;
  };

  static void forget_closed(const WaitingCall& waiting, Group& group);
  static Attempt open(const Member& member, int cpu, int leader);
  int cpu_for(const Decision& decision, const Call& call, const Group* group) const;
  std::optional<std::uint64_t> move(const WaitingCall& waiting, std::uint64_t leader, int cpu);
  int hand_out(const WaitingCall& waiting, const Decision& decision, std::uint64_t leader);

  const Machine& machine_;
  std::optional<int> nowhere_;
  std::map<std::uint64_t, Group> groups_;  // by the kernel's id of the leader
};

}  // namespace made_up
