#include "process/counting_control.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/abstract_address.hpp"
#include "base/parse_number.hpp"
#include "base/process_tree.hpp"
#include "base/safe_text.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLongestCommand = 4096;  // bytes
constexpr std::size_t kMostUnknown = 5;        // commands that are kept for a warning

// The answer of perf, which ends in a zero byte, too.
constexpr std::string_view kObeyed("ack\n\0", 5);

constexpr const char* kForms = "give fd:COMMANDS[,ANSWERS], fifo:COMMANDS[,ANSWERS], or program";

struct Known {
  std::string_view name;
  ControlCommand command;
};
constexpr std::array kKnown = {
    Known{"enable", ControlCommand::enable}, Known{"disable", ControlCommand::disable},
    Known{"stop", ControlCommand::stop}, Known{"ping", ControlCommand::ping}};

std::unexpected<Error> wrong_channel(std::string_view name, std::string_view why) {
  return failure(fmt::format("--control {}: {}", name, why), kForms);
}

// A descriptor that tacho inherited, by its number.
Result<int> inherited(std::string_view name, std::string_view number) {
  const auto fd = parse_number<int>(number);
  if (!fd || *fd < 0)
    return wrong_channel(name, fmt::format("'{}' is no number of a descriptor", number));
  if (::fcntl(*fd, F_GETFD) < 0)
    return wrong_channel(name, fmt::format("descriptor {} is not open", *fd));
  return *fd;
}

// Opens for reading and writing, as perf does: so nothing waits for the other side, and its end is
// no end of file.
Result<Fd> open_fifo(std::string_view name, const std::string& path) {
  struct stat file{};
  if (::stat(path.c_str(), &file) != 0)
    return os_failure(fmt::format("--control {}: '{}'", name, path), errno,
                      fmt::format("make it: mkfifo {}", path));
  if (!S_ISFIFO(file.st_mode))
    return failure(fmt::format("--control {}: '{}' is no FIFO", name, path),
                   "give one that mkfifo(1) made");
  Fd fd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return os_failure(fmt::format("--control {}: '{}'", name, path), errno);
  return fd;
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
}

bool is_ready(int descriptor, short event) {
  pollfd polled{.fd = descriptor, .events = event, .revents = 0};
  return ::poll(&polled, 1, 0) > 0;
}

// Whether the process was started by this one, or by one that was.
bool descends_from_here(pid_t process) {
  constexpr int kMostGenerations = 1000;
  for (int i = 0; i < kMostGenerations && process > 1; ++i) {
    process = std::atoi(status_value(process, "PPid").c_str());
    if (process == ::getpid()) return true;
  }
  return false;
}

// Whether the process at the other end belongs to this user or to root, or is one of the command's
// that has given up these rights.
bool is_trusted(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0 || descends_from_here(peer.pid));
}

}  // namespace

CountingControl::~CountingControl() = default;

Result<void> CountingControl::wait_for(int descriptor) {
  epoll_event wanted{.events = EPOLLIN, .data = {.fd = descriptor}};
  if (::epoll_ctl(ready_.get(), EPOLL_CTL_ADD, descriptor, &wanted) == 0) return {};
  // EPERM: a regular file, from which nothing ever comes.
  return os_failure("cannot wait for commands", errno,
                    "give a pipe, a socket or a FIFO to --control");
}

Result<std::unique_ptr<CountingControl>> CountingControl::open_channel(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  if (colon == std::string_view::npos || (kind != "fd" && kind != "fifo"))
    return wrong_channel(name, "that is no channel");
  const std::string_view rest = name.substr(colon + 1);
  const std::size_t comma = rest.find(',');
  const std::string commands(rest.substr(0, comma));
  const std::string answers(comma == std::string_view::npos ? "" : rest.substr(comma + 1));
  if (commands.empty()) return wrong_channel(name, "it names nothing that commands come from");
  std::unique_ptr<CountingControl> made(new CountingControl);
  made->ready_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!made->ready_) return os_failure("cannot wait for commands", errno, "raise 'ulimit -n'");
  auto sender = std::make_unique<Sender>();
  if (kind == "fd") {
    sender->commands = TACHO_TRY(inherited(name, commands));
    if (!answers.empty()) sender->answers = TACHO_TRY(inherited(name, answers));
    made->variables_ = {fmt::format("TACHO_CONTROL={}", name)};
  } else {
    sender->own = TACHO_TRY(open_fifo(name, commands));
    sender->commands = sender->own.get();
    if (!answers.empty()) made->answers_ = TACHO_TRY(open_fifo(name, answers));
    sender->answers = made->answers_.get();
    made->variables_ = {fmt::format("TACHO_CONTROL=fifo:{}{}{}", absolute(commands),
                                    answers.empty() ? "" : ",",
                                    answers.empty() ? "" : absolute(answers))};
  }
  TACHO_TRY(made->wait_for(sender->commands));
  made->senders_.push_back(std::move(sender));
  return made;
}

// The socket has a random name in the abstract namespace: it needs no file, and the connection of a
// process that ends is closed by the kernel.
Result<std::unique_ptr<CountingControl>> CountingControl::open_socket(const char* option,
                                                                      std::string& name) {
  std::unique_ptr<CountingControl> made(new CountingControl);
  made->ready_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  made->listener_ = Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  std::uint64_t drawn = 0;
  if (::getrandom(&drawn, sizeof drawn, 0) < 0) drawn = static_cast<std::uint64_t>(::getpid());
  name = fmt::format("tacho-{:016x}", drawn);
  const AbstractAddress address(name);
  constexpr int kMostWaiting = 1024;
  if (!made->ready_ || !made->listener_ ||
      ::bind(made->listener_.get(), address.get(), address.size()) != 0 ||
      ::listen(made->listener_.get(), kMostWaiting) != 0)
    return os_failure(fmt::format("cannot make a socket for {}", option), errno,
                      "raise 'ulimit -n'");
  TACHO_TRY(made->wait_for(made->listener_.get()));
  return made;
}

Result<std::unique_ptr<CountingControl>> CountingControl::open_program() {
  std::string name;
  auto made = TACHO_TRY(open_socket("--control", name));
  made->variables_ = {fmt::format("TACHO_CONTROL=program:{}", name)};
  return made;
}

Result<std::unique_ptr<CountingControl>> CountingControl::open_region(std::string_view region) {
  std::string name;
  auto made = TACHO_TRY(open_socket("--in-region", name));
  made->region_ = region;
  made->variables_ = {fmt::format("TACHO_IN_REGION={}:{}", name, region)};
  return made;
}

std::vector<std::string> CountingControl::warnings(double on_s) const {
  std::vector<std::string> warnings;
  for (const std::string& command : unknown_)
    warnings.push_back(
        fmt::format("--control: '{}' was ignored (tacho knows enable, disable, stop and ping)",
                    printable(command)));
  if (more_unknown_) warnings.emplace_back("--control: more commands were ignored");
  if (did_not_wait_)
    warnings.emplace_back(
        "a process waited for tacho for more than 2 s, and then ran on: some of what it did "
        "while counting should be off is counted, or some of the rest is not");
  constexpr double kShort = 1e-3;  // s: a begin and an end take a tenth of that, or more
  const double mean_s = executions_ > 0 ? on_s / static_cast<double>(executions_) : kShort;
  if (!region_.empty() && mean_s < kShort)
    warnings.push_back(
        fmt::format("the region is short: counting was on for {:.0f} µs an execution, of which "
                    "some 100 µs are the turning on and off itself ('tacho stat --regions' "
                    "measures short regions)",
                    1e6 * mean_s));
  return warnings;
}

std::string why_never_on(const CountingControl* control) {
  return control == nullptr ? "the run ended before the delay was over (-D)"
                            : control->why_never_on();
}

std::string CountingControl::why_never_on() const {
  if (region_.empty()) return "no 'enable' came from --control (-D -1 begins with counting off)";
  return fmt::format(
      "no process with tacho's library told of a region '{}'. 'tacho stat --regions' lists the "
      "regions that run. A process with another user's rights, another network namespace or an "
      "empty environment cannot tell",
      printable(region_));
}

void CountingControl::obey(const std::function<void(ControlCommand)>& obeyed) {
  for (receive(); !waiting_.empty();) {
    const Waiting next = waiting_.front();
    waiting_.pop_front();
    obeyed(next.command);
    answer(next.answer_to);
    if (waiting_.empty()) receive();
  }
}

// Whoever asked may have gone, or may not read.
void CountingControl::answer(int descriptor) {
  if (descriptor < 0) return;
  if (!listener_ && is_ready(descriptor, POLLOUT))
    std::ignore = ::write(descriptor, kObeyed.data(), kObeyed.size());
  if (listener_ &&
      ::send(descriptor, kObeyed.data(), kObeyed.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    did_not_wait_ = true;
}

void CountingControl::receive() {
  accept_processes();
  std::erase_if(senders_, [this](const std::unique_ptr<Sender>& sender) {
    if (read_from(*sender)) return false;
    ::epoll_ctl(ready_.get(), EPOLL_CTL_DEL, sender->commands, nullptr);
    for (Waiting& each : waiting_) {
      if (each.answer_to < 0 || each.answer_to != sender->answers) continue;
      each.answer_to = -1;
      did_not_wait_ = static_cast<bool>(listener_);
    }
    sender->answers = -1;
    leave(*sender);  // it ended in the region
    return true;
  });
}

void CountingControl::accept_processes() {
  if (!listener_) return;
  for (;;) {
    Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) return;
    if (!is_trusted(connection.get()) || !wait_for(connection.get())) continue;
    auto sender = std::make_unique<Sender>();
    sender->own = std::move(connection);
    sender->commands = sender->answers = sender->own.get();
    senders_.push_back(std::move(sender));
  }
}

// Reads as perf does: a command ends with a new line, a zero byte, or with what has come. One piece
// at a time, so that all senders are heard.
bool CountingControl::read_from(Sender& sender) {
  if (!is_ready(sender.commands, POLLIN)) return true;
  std::array<char, 512> piece{};
  const ssize_t got = ::read(sender.commands, piece.data(), piece.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  for (const char byte : std::string_view(piece.data(), static_cast<std::size_t>(got))) {
    if (byte == '\n' || byte == '\0')
      take(sender, std::exchange(sender.begun, {}));
    else if (sender.begun.size() < kLongestCommand)
      sender.begun += byte;
  }
  if (std::ranges::find(kKnown, sender.begun, &Known::name) != kKnown.end())
    take(sender, std::exchange(sender.begun, {}));
  return got > 0;
}

void CountingControl::take(Sender& sender, std::string line) {
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) return;
  const auto known = std::ranges::find(kKnown, line, &Known::name);
  if (known == kKnown.end()) {
    if (std::ranges::find(unknown_, line) != unknown_.end()) return;
    if (unknown_.size() < kMostUnknown)
      unknown_.push_back(line);
    else
      more_unknown_ = true;
    return;
  }
  const bool in_region = !region_.empty();
  if (in_region && known->command == ControlCommand::disable) return leave(sender);
  waiting_.push_back({.command = known->command, .answer_to = sender.answers});
  if (!in_region || known->command != ControlCommand::enable || sender.inside) return;
  sender.inside = true;
  ++inside_;
  ++executions_;
}

// A process has left the region. Counting ends with the last one. Answers come in the order of the
// commands, so a process that begins does not run before counting is on.
void CountingControl::leave(Sender& sender) {
  if (!std::exchange(sender.inside, false)) return;
  waiting_.push_back({.command = --inside_ == 0 ? ControlCommand::disable : ControlCommand::ping,
                      .answer_to = sender.answers});
}

}  // namespace tacho
