// naive as a program that measures itself: it counts the user-mode instructions and cycles of its
// own product with perf_event_open. The programs of the first tutorials on ARM counters worked this
// way.
//
//   self_measured [n]      prints "instructions N", "cycles N" and "seconds S", a line each
//
// The inputs and the product are those of examples/naive.
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

[[gnu::noinline]] void multiply(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

int open_counter(std::uint64_t event, int leader) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = event;
  attr.disabled = leader < 0;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.read_format = PERF_FORMAT_GROUP;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0));
}

}  // namespace

int main(int argc, char** argv) {
  const auto n = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 500);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      a[row * n + column] = static_cast<float>((3 * row + column) % 4);
      b[row * n + column] = static_cast<float>((row + row * column) % 4);
    }
  }
  const int leader = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
  const int member = leader < 0 ? -1 : open_counter(PERF_COUNT_HW_CPU_CYCLES, leader);
  if (member < 0) {
    std::perror("self_measured: perf_event_open");
    return 1;
  }
  const auto begun = std::chrono::steady_clock::now();
  ::ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
  multiply(a.data(), b.data(), c.data(), n);
  ::ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::array<std::uint64_t, 3> counts{};  // the number of events, then their counts
  if (::read(leader, counts.data(), sizeof counts) != sizeof counts) {
    std::perror("self_measured: read");
    return 1;
  }
  double sum = 0;  // used, so that the compiler keeps the product
  for (const float element : c) sum += static_cast<double>(element);
  std::printf("instructions %llu\ncycles %llu\nseconds %.6f\n",
              static_cast<unsigned long long>(counts[1]),
              static_cast<unsigned long long>(counts[2]), took.count());
  return sum < 0 ? 1 : 0;
}
