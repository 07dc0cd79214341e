// The calls of perf_event_open of a command and of all that it starts, caught by seccomp's user
// notification (Documentation/userspace-api/seccomp_filter.rst): the kernel holds the caller until
// it has its answer.
#pragma once

#include <linux/seccomp.h>

#include <optional>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "call.hpp"

namespace made_up {

// Makes the calls of this process and its future children wait for answers, which the returned
// descriptor gives. It can't be undone.
tacho::Result<tacho::Fd> catch_calls();

// Sends a descriptor over a socket, and receives it.
tacho::Result<void> send_descriptor(int socket, int descriptor);
tacho::Result<tacho::Fd> receive_descriptor(int socket);

// ioctl(descriptor, PERF_EVENT_IOC_PERIOD, &value): a new period, or a new frequency if the event
// has one.
struct PeriodChange {
  int descriptor = -1;
  std::uint64_t value = 0;
};

// A call that waits for its answer: perf_event_open or a change of a period.
class WaitingCall {
 public:
  // Nothing if the caller was killed meanwhile.
  static std::optional<WaitingCall> next(int listener);

  const std::optional<PeriodChange>& period_change() const { return period_change_; }
  const Call& call() const { return call_; }  // if it changes no period

  // The caller's own descriptor as one of this process; -1 if it has none.
  tacho::Fd copy_of(int descriptor) const;

  // Puts a descriptor into the caller, in the place of its descriptor `over` if there is one.
  // Returns the number in the caller, or -1.
  int put(int descriptor, std::optional<int> over) const;

  void answer(int descriptor) const;
  void refuse(int code) const;
  void let_the_kernel_answer() const;

  pid_t process() const { return process_; }

  // E2BIG tells the caller which size of attributes the kernel knows.
  void write_size(std::uint32_t bytes) const;

 private:
  WaitingCall(int listener, const seccomp_notif& notification);
  void send(const seccomp_notif_resp& response) const;

  int listener_;
  std::uint64_t id_;
  std::uint64_t attributes_ = 0;  // address in the caller
  pid_t process_;
  std::optional<PeriodChange> period_change_;
  Call call_;
};

}  // namespace made_up
