// Programs whose rates change in known ways: shapes KIND [SIZE]. The same arguments do the same
// work in every run, so that a simulation of it is the same, too. bench/coverage.py counts them.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

constexpr long kBytes = 8 << 20;
constexpr long kLine = 64;

std::array<unsigned char, kBytes> memory;
volatile std::uint32_t result;
std::uint64_t state = 0x9e3779b97f4a7c15u;

std::uint64_t drawn() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// Four kinds of work, each with events of its own: arithmetic, misses, mispredictions, stores.
void multiply(long times) {
  std::uint32_t value = 1;
  for (long i = 0; i < times; ++i) value = value * 1664525u + 1013904223u;
  result = result + value;
}
void miss(long times) {
  std::uint32_t value = 0;
  for (long i = 0; i < times; ++i) value += memory[drawn() % kBytes];
  result = result + value;
}
void mispredict(long times) {
  std::uint32_t value = 0;
  for (long i = 0; i < times; ++i) {
    if (drawn() & 1)
      value += 3;
    else
      value ^= 5;
  }
  result = result + value;
}
void store(long times) {
  for (long i = 0; i < times; ++i)
    memory[static_cast<std::size_t>(i * kLine % kBytes)] = static_cast<unsigned char>(i);
}

void mixture(long times) {
  multiply(times);
  miss(times / 8);
  mispredict(times / 8);
  store(times / 4);
}

void steady(long size) {
  for (long i = 0; i < size; ++i) mixture(2000);
}
void drift(long size) {
  for (long i = 0; i < size; ++i) {
    multiply(3000);
    miss(600 * i / size);
    mispredict(1000 - 1000 * i / size);
  }
}
void bursts(long size) {
  for (long i = 0; i < size; ++i) {
    multiply(3000);
    if (drawn() % 50 != 0) continue;
    miss(12000);
    mispredict(6000);
  }
}
void long_phases(long size) {
  for (long i = 0; i < size / 2; ++i) multiply(5000);
  for (long i = 0; i < size / 2; ++i) miss(800);
  for (long i = 0; i < size / 2; ++i) mispredict(1200);
}
void short_phases(long size) {
  for (long i = 0; i < size / 20; ++i) {
    multiply(30000);
    miss(3000);
    mispredict(6000);
  }
}
void rhythm(long size) {
  for (long i = 0; i < size / 50; ++i) {
    multiply(250000);
    miss(25000);
  }
}
void start(long size) {
  miss(size * 200);
  store(size * 200);
  for (long i = 0; i < size; ++i) multiply(4000);
}
void ending(long size) {
  for (long i = 0; i < size; ++i) mixture(2000);
  mispredict(size * 40);
  miss(size * 10);
}
void processes(long size) {
  for (long i = 0; i < size / 100 + 1; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      mixture(50000 + i % 5 * 10000);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    miss(5000);
  }
}

void threads(long size) {
  std::array<std::thread, 4> all;
  for (long i = 0; i < 4; ++i)
    all[static_cast<std::size_t>(i)] = std::thread([times = size * (i + 1)] {
      for (int again = 0; again < 40; ++again) mixture(times);
    });
  for (std::thread& each : all) each.join();
}

struct Kind {
  std::string_view name;
  void (*run)(long size);
};
constexpr Kind kKinds[] = {{"steady", steady},
                           {"drift", drift},
                           {"bursts", bursts},
                           {"long-phases", long_phases},
                           {"short-phases", short_phases},
                           {"rhythm", rhythm},
                           {"start", start},
                           {"ending", ending},
                           {"processes", processes},
                           {"threads", threads}};

}  // namespace

int main(int count, char** words) {
  const long size = count > 2 ? std::atol(words[2]) : 1000;
  for (const Kind& kind : kKinds)
    if (count > 1 && words[1] == kind.name) {
      kind.run(size);
      return 0;
    }
  std::fputs("shapes KIND [SIZE]: no such kind\n", stderr);
  return 2;
}
