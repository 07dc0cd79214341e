// The lab's agent on a board. It receives scripts over the serial line, runs them, and sends back
// their output and exit status. It is process 1 and runs as root. lab/board.py is its peer.
//
// In both directions, a message is a text line of four words:
//   @lab KIND BASE64 CRC32        (CRC-32 of "KIND BASE64", in hex)
// To the board: `user` (a decimal uid for the next scripts), `run` (a script for sh). To the host:
// `ready` once, `out` and `err` while the script prints, `exit` (its status in decimal). Every
// other line comes from the kernel.
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/klog.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 3; ++i)
      word = word << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (int shift = 18; shift >= 0; shift -= 6) text += kDigits[word >> shift & 63];
  }
  for (std::size_t i = 0; i < (3 - bytes.size() % 3) % 3; ++i) text[text.size() - 1 - i] = '=';
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char digit : text) {
    const auto value = kDigits.find(digit);
    if (value == std::string_view::npos) break;  // the padding
    word = word << 6 | static_cast<std::uint32_t>(value);
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(word >> bits & 255);
  }
  return bytes;
}

// The same as zlib's crc32().
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

std::string crc_text(std::string_view bytes) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", crc32(bytes));
  return text.data();
}

void send(int line, std::string_view kind, std::string_view payload) {
  const std::string body = std::string(kind) + ' ' + to_base64(payload);
  const std::string text = "@lab " + body + ' ' + crc_text(body) + '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(line, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) std::exit(1);
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
}

std::string next_line(int line) {
  std::string text;
  for (char byte = 0; byte != '\n';) {
    const ssize_t got = ::read(line, &byte, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) std::exit(1);
    if (got > 0 && byte != '\n') text += byte;
  }
  return text;
}

[[noreturn]] void become(unsigned user, const std::string& script, int out, int err) {
  ::setsid();
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  if (user != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(user) != 0 || ::setuid(user) != 0))
    ::_exit(126);
  ::execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

// Sends the contents of a pipe. Returns false at its end: no process can write to it any more.
bool forward(int line, std::string_view kind, int pipe) {
  std::array<char, 3072> block;
  const ssize_t got = ::read(pipe, block.data(), block.size());
  if (got > 0) send(line, kind, {block.data(), static_cast<std::size_t>(got)});
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

// Returns whether the child has ended, and sets its status. Also reaps orphans, as process 1 must.
bool ended(pid_t child, int& status) {
  int any = 0;
  bool done = false;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &any, WNOHANG)) > 0;) {
    if (pid != child) continue;
    done = true;
    status = WIFSIGNALED(any) ? 128 + WTERMSIG(any) : WEXITSTATUS(any);
  }
  return done;
}

// Processes that a script leaves behind may keep the pipes open. So the run ends when the script
// has ended and the contents of the pipes have been sent.
void run(int line, unsigned user, const std::string& script) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) std::exit(1);
  const pid_t child = ::fork();
  if (child < 0) std::exit(1);
  if (child == 0) become(user, script, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  ::fcntl(out[0], F_SETFL, O_NONBLOCK);
  ::fcntl(err[0], F_SETFL, O_NONBLOCK);
  std::array<pollfd, 2> pipes{{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}}};
  constexpr std::array<std::string_view, 2> kKinds = {"out", "err"};
  int status = 0;
  bool over = false;
  for (bool more = true; more || !over;) {
    over = over || ended(child, status);
    more = ::poll(pipes.data(), pipes.size(), over ? 0 : 20) > 0;
    for (std::size_t i = 0; i < pipes.size() && more; ++i)
      if (pipes[i].revents != 0 && !forward(line, kKinds[i], pipes[i].fd)) pipes[i].fd = -1;
  }
  ::close(out[0]);
  ::close(err[0]);
  send(line, "exit", std::to_string(status));
}

int open_line(const char* name) {
  const int line = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  if (line < 0 || ::tcgetattr(line, &settings) != 0) {
    std::perror(name);
    std::exit(1);
  }
  ::cfmakeraw(&settings);
  ::tcsetattr(line, TCSANOW, &settings);
  return line;
}

}  // namespace

int main(int, char** argv) {
  const int line = open_line(argv[1]);
  ::klogctl(8, nullptr, 1);  // from now on the kernel prints emergencies only
  send(line, "ready", "");
  unsigned user = 0;
  for (;;) {
    const std::string text = next_line(line);
    const auto end = text.rfind(' ');
    if (!text.starts_with("@lab ") || end < 5) continue;
    const std::string body = text.substr(5, end - 5);
    const auto space = body.find(' ');
    if (crc_text(body) != text.substr(end + 1) || space == std::string::npos) {
      send(line, "err", "lab agent: received a damaged line: " + text + "\n");
      send(line, "exit", "125");
      continue;
    }
    const std::string payload = from_base64(body.substr(space + 1));
    if (body.starts_with("user "))
      user = static_cast<unsigned>(std::strtoul(payload.c_str(), nullptr, 10));
    else
      run(line, user, payload);
  }
}
