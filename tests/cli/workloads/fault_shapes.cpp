// Touches fresh pages at a rate that changes in a known way, and prints how many page faults the
// kernel charged to it (getrusage): fault_shapes KIND, one of steady, drift, phases, rhythm,
// ending, brief.
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdio>
#include <string_view>

namespace {

constexpr long kSteps = 1600;
constexpr long kBriefSteps = 120;
constexpr long kPage = 4096;
constexpr long kPages = 400'000;

long pages_in_step(std::string_view kind, long step) {
  if (kind == "drift") return step * 10 / kSteps;
  if (kind == "phases") return step < kSteps / 2 ? 1 : 10;
  if (kind == "rhythm") return step / 40 % 4 == 0 ? 16 : 0;
  if (kind == "ending") return step >= kSteps - 16 ? 300 : 1;
  if (kind == "brief") return 20;
  return 4;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view kind = count > 1 ? words[1] : "steady";
  void* mapped = ::mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return 1;
  ::madvise(mapped, kPages * kPage, MADV_NOHUGEPAGE);
  auto* next = static_cast<volatile char*>(mapped);
  volatile long work = 0;
  const long steps = kind == "brief" ? kBriefSteps : kSteps;
  for (long step = 0; step < steps; ++step) {
    for (long page = pages_in_step(kind, step); page > 0; --page, next += kPage) *next = 1;
    for (long i = 0; i < 400'000; ++i) work = work + i;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("%ld\n", usage.ru_minflt);
}
