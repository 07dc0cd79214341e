// Spends CPU time in the functions `first` and `second`, and prints how much by the clock of each
// thread: "FIRST SECOND" in ns. `tacho report` has to find these shares.
//
//     share_shapes KIND MILLISECONDS FIRST [SEED [MICROSECONDS]]
//
// FIRST is the wanted share of `first` in per cent. MICROSECONDS is the length of a rhythm, of a
// process or of a burst.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <random>
#include <string_view>
#include <thread>

namespace {

double cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

// Shared with child processes.
struct Spent {
  std::atomic<std::uint32_t> first{0}, second{0};  // 10 ns: ARMv6 has no atomics of 64 bits
};
Spent* spent = nullptr;

// Operations between two looks at the clock: some µs, and some 100 µs.
constexpr int kStep = 5'000, kLongStep = 100'000;

}  // namespace

// Not inlined, and known by these names in a profile.
extern "C" {
[[gnu::noinline]] void first(double until_ns, int step) {
  std::uint64_t x = 1;
  do
    for (int i = 0; i < step; ++i) {
      x = x * 3 + 1;
      asm volatile("" : "+r"(x));
    }
  while (cpu_ns() < until_ns);
}
[[gnu::noinline]] void second(double until_ns, int step) {
  std::uint64_t x = 1;
  do
    for (int i = 0; i < step; ++i) {
      x = x * 5 + 3;
      asm volatile("" : "+r"(x));
    }
  while (cpu_ns() < until_ns);
}
}

namespace {

// Works in one of the functions until the thread's clock is at this time. Returns the time then.
double work(bool in_first, double from, double until, int step = kStep) {
  (in_first ? first : second)(until, step);
  const double now = cpu_ns();
  (in_first ? spent->first : spent->second) +=
      static_cast<std::uint32_t>(std::lround((now - from) / 10));
  return now;
}

struct Shape {
  double length = 0;  // ns of CPU time
  double share = 0;   // of `first`
  std::uint64_t seed = 1;
  double rhythm = 0;  // ns
};

// Pieces of random lengths, of 50 µs on average, in random order.
void steady(const Shape& shape) {
  constexpr double kMean = 50'000;
  std::mt19937_64 random(shape.seed);
  std::exponential_distribution<> piece(1 / kMean);
  std::bernoulli_distribution in_first(shape.share);
  double now = cpu_ns();
  for (const double end = now + shape.length; now < end;)
    now = work(in_first(random), now, now + piece(random));
}

// First one function, then the other, so many times.
void alternate(const Shape& shape, double each, int step = kStep) {
  double now = cpu_ns();
  const double begin = now;
  for (double done = 0; done < shape.length; done += each) {
    now = work(true, now, begin + done + shape.share * each, step);
    now = work(false, now, begin + done + each, step);
  }
}
void phases(const Shape& shape) {
  alternate(shape, shape.length, kLongStep);
}
void rhythm(const Shape& shape) {
  alternate(shape, shape.rhythm);
}

void processes(const Shape& shape) {
  for (double done = 0; done < shape.length; done += shape.rhythm) {
    const pid_t child = fork();
    if (child == 0) {
      alternate({.length = shape.rhythm, .share = shape.share}, shape.rhythm);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
}

void threads(const Shape& shape) {
  std::array<std::thread, 4> all;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = std::thread([shape, i] {
      steady({.length = shape.length / 4, .share = shape.share, .seed = shape.seed + i});
    });
  for (std::thread& each : all) each.join();
}

// Sleeps before each burst of work, so the thread works for a small part of the time.
void bursts(const Shape& shape) {
  std::mt19937_64 random(shape.seed);
  std::bernoulli_distribution in_first(shape.share);
  for (double done = 0; done < shape.length; done += shape.rhythm) {
    constexpr timespec pause{.tv_sec = 0, .tv_nsec = 50'000'000};
    nanosleep(&pause, nullptr);
    const double now = cpu_ns();
    work(in_first(random), now, now + shape.rhythm);
  }
}

struct Kind {
  std::string_view name;
  void (*run)(const Shape&);
};
constexpr Kind kKinds[] = {{"steady", steady},   {"phases", phases},       {"rhythm", rhythm},
                           {"threads", threads}, {"processes", processes}, {"bursts", bursts}};

}  // namespace

int main(int count, char** words) {
  const auto number = [&](int i, double otherwise) {
    return count > i ? std::atof(words[i]) : otherwise;
  };
  const Shape shape{.length = 1e6 * number(2, 100),
                    .share = 1e-2 * number(3, 30),
                    .seed = static_cast<std::uint64_t>(number(4, 1)),
                    .rhythm = 1e3 * number(5, 1000)};
  void* shared =
      ::mmap(nullptr, sizeof(Spent), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  spent = new (shared) Spent;
  for (const Kind& kind : kKinds)
    if (count > 1 && words[1] == kind.name) {
      kind.run(shape);
      std::printf("%lld %lld\n", 10LL * spent->first, 10LL * spent->second);
      return 0;
    }
  std::fputs("share_shapes KIND MILLISECONDS FIRST [SEED [MICROSECONDS]]: no such kind\n", stderr);
  return 2;
}
