#include "latency/chase/streams.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "latency/chase/machine.hpp"

namespace tacho::chase {
namespace {

constexpr std::size_t kWordsAPiece = std::size_t{1} << 16U;  // words between two looks at `over`

void stream(int cpu, std::size_t words, const std::atomic<bool>& over) {
  if (!keep_to(cpu)) return;  // it went offline: there is nothing to keep busy
  std::vector<std::uint64_t> buffer(words, 1);
  while (!over.load(std::memory_order_relaxed))
    for (std::size_t at = 0; at < words && !over.load(std::memory_order_relaxed);
         at += kWordsAPiece)
      for (std::size_t i = at; i < std::min(at + kWordsAPiece, words); ++i) buffer[i] += i;
  asm volatile("" ::"r"(buffer.data()) : "memory");  // or nobody would want the sums
}

}  // namespace

Streams::Streams(std::span<const int> cpus, std::size_t bytes) {
  // Signals are for the thread that made these: who waits for one, as for a child's end, has it
  // blocked, and the kernel gives it to whoever has not.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  for (const int cpu : cpus)
    threads_.emplace_back(
        [this, cpu, bytes] { stream(cpu, bytes / sizeof(std::uint64_t), over_); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Streams::~Streams() {
  over_ = true;
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace tacho::chase
