// Threads on other CPUs that keep the memory busy: they read and write buffers of their own.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace tacho::chase {

class Streams {
 public:
  // One thread on each CPU, over `bytes` each. They stop when this is destroyed.
  Streams(std::span<const int> cpus, std::size_t bytes);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams();

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

}  // namespace tacho::chase
