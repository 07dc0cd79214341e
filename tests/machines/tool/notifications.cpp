#include "notifications.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace made_up {
namespace {

using tacho::Fd;
using tacho::os_failure;
using tacho::Result;

constexpr std::size_t kMostAttributeBytes = 4096;  // a page: the kernel refuses more
constexpr std::size_t kSizeAt = 4;                 // offset of perf_event_attr::size

pid_t process_of(pid_t thread) {
  std::ifstream status(fmt::format("/proc/{}/status", thread));
  for (std::string word; status >> word;)
    if (word == "Tgid:" && status >> word) return std::atoi(word.c_str());
  return thread;
}

// An address of the caller, which is another process.
void* in_caller(std::uint64_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes addresses as numbers
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

bool copy_memory(pid_t process, std::uint64_t address, void* to, std::size_t bytes) {
  iovec here{to, bytes};
  iovec there{in_caller(address), bytes};
  return ::process_vm_readv(process, &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

// The attributes of the call, as many as its size says.
std::vector<std::byte> attributes_of(pid_t thread, std::uint64_t address) {
  std::array<std::uint32_t, 2> type_and_size{};
  if (!copy_memory(thread, address, type_and_size.data(), sizeof type_and_size)) return {};
  const std::size_t asked = type_and_size[1] == 0 ? PERF_ATTR_SIZE_VER0 : type_and_size[1];
  std::vector<std::byte> raw(
      std::clamp<std::size_t>(asked, PERF_ATTR_SIZE_VER0, kMostAttributeBytes));
  if (!copy_memory(thread, address, raw.data(), raw.size())) return {};
  return raw;
}

// A message of one byte that carries one descriptor.
class DescriptorMessage {
 public:
  DescriptorMessage() {
    message_.msg_iov = &text_;
    message_.msg_iovlen = 1;
    message_.msg_control = control_.data();
    message_.msg_controllen = control_.size();
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  msghdr& get() { return message_; }

 private:
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control_{};
  char byte_ = 0;
  iovec text_{&byte_, 1};
  msghdr message_{};
};

}  // namespace

Result<Fd> catch_calls() {
  // The low half of the second argument: a request of ioctl has 32 bits.
  constexpr auto kRequest = offsetof(seccomp_data, args) + sizeof(std::uint64_t);
  auto filter =
      std::to_array<sock_filter>({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 3, 0),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
                                  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kRequest),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PERF_EVENT_IOC_PERIOD, 0, 1),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
  const sock_fprog program{filter.size(), filter.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const long listener =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (listener < 0)
    return os_failure("cannot catch perf_event_open", errno,
                      "a sandbox around this one may catch it");
  return Fd(static_cast<int>(listener));
}

Result<void> send_descriptor(int socket, int descriptor) {
  DescriptorMessage message;
  cmsghdr* header = CMSG_FIRSTHDR(&message.get());
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  if (::sendmsg(socket, &message.get(), 0) == 1) return {};
  return os_failure("cannot pass a descriptor on", errno);
}

Result<Fd> receive_descriptor(int socket) {
  DescriptorMessage message;
  const ssize_t got = ::recvmsg(socket, &message.get(), MSG_CMSG_CLOEXEC);
  if (got < 0) return os_failure("cannot receive a descriptor", errno);
  const cmsghdr* header = CMSG_FIRSTHDR(&message.get());
  if (got == 0 || header == nullptr) return tacho::failure("the machine could not be made");
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return Fd(descriptor);
}

WaitingCall::WaitingCall(int listener, const seccomp_notif& notification)
    : listener_(listener),
      id_(notification.id),
      process_(process_of(static_cast<pid_t>(notification.pid))) {
  const auto& arguments = notification.data.args;
  const auto thread = static_cast<pid_t>(notification.pid);
  if (notification.data.nr == SYS_ioctl) {
    period_change_ = PeriodChange{static_cast<int>(arguments[0]), 0};
    copy_memory(thread, arguments[2], &period_change_->value, sizeof period_change_->value);
    return;
  }
  attributes_ = arguments[0];
  std::vector<std::byte> raw = attributes_of(thread, attributes_);
  const bool readable = !raw.empty();
  call_ = make_call(std::move(raw));
  call_.readable = readable;
  call_.thread = thread;
  call_.pid = static_cast<pid_t>(arguments[1]);
  call_.cpu = static_cast<int>(arguments[2]);
  call_.group = static_cast<int>(arguments[3]);
  call_.open_flags = arguments[4];
}

std::optional<WaitingCall> WaitingCall::next(int listener) {
  seccomp_notif notification{};
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notification) != 0) return std::nullopt;
  WaitingCall waiting(listener, notification);
  // Otherwise what was read may be of another process with the same number.
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &notification.id) != 0) return std::nullopt;
  return waiting;
}

Fd WaitingCall::copy_of(int descriptor) const {
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  return Fd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), descriptor, 0)));
}

int WaitingCall::put(int descriptor, std::optional<int> over) const {
  seccomp_notif_addfd add{};
  add.id = id_;
  add.srcfd = static_cast<std::uint32_t>(descriptor);
  if (over) {
    add.flags = SECCOMP_ADDFD_FLAG_SETFD;
    add.newfd = static_cast<std::uint32_t>(*over);
  }
  if ((call_.open_flags & PERF_FLAG_FD_CLOEXEC) != 0) add.newfd_flags = O_CLOEXEC;
  return ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
}

void WaitingCall::send(const seccomp_notif_resp& response) const {
  seccomp_notif_resp sent = response;
  sent.id = id_;
  ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &sent);  // fails if the caller was killed
}

void WaitingCall::answer(int descriptor) const {
  send({.id = 0, .val = descriptor, .error = 0, .flags = 0});
}

void WaitingCall::refuse(int code) const {
  send({.id = 0, .val = 0, .error = -code, .flags = 0});
}

void WaitingCall::let_the_kernel_answer() const {
  send({.id = 0, .val = 0, .error = 0, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE});
}

void WaitingCall::write_size(std::uint32_t bytes) const {
  iovec here{&bytes, sizeof bytes};
  iovec there{in_caller(attributes_ + kSizeAt), sizeof bytes};
  ::process_vm_writev(process_, &here, 1, &there, 1, 0);
}

}  // namespace made_up
