#include "latency/chase/streams.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "base/cpus.hpp"
#include "latency/inference/rules.hpp"

namespace tacho::chase {
namespace {

constexpr std::size_t kWords = kLatencyRules.memory.stream_words_between_stops;

void stream(int cpu, std::size_t words, const std::atomic<bool>& over) {
  if (!keep_to_cpu(cpu)) return;  // it went offline
  std::vector<std::uint64_t> buffer(words, 1);
  while (!over.load(std::memory_order_relaxed))
    for (std::size_t at = 0; at < words && !over.load(std::memory_order_relaxed); at += kWords)
      for (std::size_t i = at; i < std::min(at + kWords, words); ++i) buffer[i] += i;
  asm volatile("" ::"r"(buffer.data()) : "memory");  // or the compiler drops the additions
}

}  // namespace

Streams::Streams(std::span<const int> cpus, std::size_t bytes) {
  // Signals are for the constructing thread. A thread that waits for a signal, such as a child's
  // end, has it blocked, and the kernel would deliver it to a thread that has not.
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
