// logger: threads that compute and log each result to a file on disk, for the tutorial about
// waiting.
//
//   logger locked [lines]   each thread writes its line to the disk while it has the lock
//   logger apart [lines]    threads put their lines into a list; one thread writes what is there
//
// lines of each thread from 1 to 1000000, 200 if left out. Both write the same lines. It prints how
// long it took. Functions are not inlined, so that reports name them.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "argument.hpp"

namespace {

constexpr int kThreads = 4;

// A file whose lines are on the disk when write() returns.
class LogFile {
 public:
  LogFile() {
    char name[] = "/var/tmp/logger-XXXXXX";
    file_ = ::mkstemp(name);
    if (file_ < 0) {
      std::perror("logger: cannot make a file in /var/tmp");
      std::exit(1);
    }
    ::unlink(name);
  }
  [[gnu::noinline]] void write(const std::string& text) {
    if (::write(file_, text.data(), text.size()) < 0 || ::fdatasync(file_) != 0) {
      std::perror("logger: cannot write");
      std::exit(1);
    }
  }

 private:
  int file_;
};

class Log {
 public:
  explicit Log(bool apart) {
    if (apart) writer_ = std::thread([this] { write_lines(); });
  }
  ~Log() {
    if (!writer_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    there_.notify_one();
    writer_.join();
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[gnu::noinline]] void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (writer_.joinable()) {
      lines_ += line;
      there_.notify_one();
    } else {
      file_.write(line);
    }
  }

 private:
  [[gnu::noinline]] void write_lines() {
    std::unique_lock lock(mutex_);
    for (;;) {
      there_.wait(lock, [this] { return ended_ || !lines_.empty(); });
      if (lines_.empty()) return;
      const std::string taken = std::move(lines_);
      lines_.clear();
      lock.unlock();
      file_.write(taken);
      lock.lock();
    }
  }

  LogFile file_;
  std::mutex mutex_;
  std::condition_variable there_;
  std::string lines_;
  bool ended_ = false;
  std::thread writer_;
};

// The length of the Collatz sequence of each number up to `n`, added up.
[[gnu::noinline]] std::uint64_t compute(std::uint64_t n) {
  std::uint64_t steps = 0;
  for (std::uint64_t start = 1; start <= n; ++start)
    for (std::uint64_t each = start; each != 1; each = each % 2 == 0 ? each / 2 : 3 * each + 1)
      ++steps;
  return steps;
}

[[gnu::noinline]] void work(Log& log, std::uint64_t lines) {
  for (std::uint64_t i = 0; i < lines; ++i)
    log.add(std::to_string(i) + ' ' + std::to_string(compute(1000 + i % 100)) + '\n');
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t lines = 200;
  const bool locked = argc > 1 && std::strcmp(argv[1], "locked") == 0;
  if (argc < 2 || argc > 3 || (!locked && std::strcmp(argv[1], "apart") != 0)) {
    std::fprintf(stderr, "usage: logger locked|apart [LINES]\n");
    return 2;
  }
  if (argc > 2 && !parsed("logger", argv[2], 1, 1'000'000, lines)) return 2;
  const auto begin = std::chrono::steady_clock::now();
  {
    Log log(!locked);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { work(log, lines); });
    for (std::thread& thread : threads) thread.join();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%d threads, %llu lines each: %.3f s\n", kThreads,
              static_cast<unsigned long long>(lines), took.count());
}
