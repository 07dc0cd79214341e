// Times lists on this machine, in memory that is obtained beforehand.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "latency/chase/memory.hpp"
#include "latency/chase/sampler.hpp"
#include "latency/prober.hpp"

namespace tacho {

class NativeProber : public Prober {
 public:
  struct Settings {
    int cpu = 0;  // the one that the calling thread is kept to
    std::size_t line_bytes = 64;
    chase::Access access = chase::Access::load;
    chase::Timer timer = chase::Timer::ticks;
    chase::Effort effort;
  };
  NativeProber(const Settings& settings, chase::Stop stop);

  // Obtains memory for lists of a layout: `bytes` of it for packed lists, else `bytes` of
  // addresses. It is used from now on in place of the layout's earlier memory, which stays until
  // release_memory(), so that the addresses differ.
  Result<void> obtain_memory(Layout layout, chase::Pages pages, std::size_t bytes);
  void release_memory() { memories_.clear(); }

  Result<std::optional<LatencySample>> probe(const ListToProbe& list) override;
  bool ended() override;
  std::size_t capacity(Layout layout) const override;

  // Why the measurement ended, unless the user stopped it.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Since this was constructed.
  std::chrono::nanoseconds taken() const { return std::chrono::steady_clock::now() - begin_; }

 private:
  struct ListMemory {
    Layout layout;
    chase::Memory memory;
    chase::List list;
  };
  std::optional<LatencySample> sample(const chase::List& list, Layout layout);
  std::chrono::nanoseconds longest_wait() const;
  bool moved() const;

  Settings settings_;
  chase::Stop stop_;
  chase::Sampler sampler_;
  chase::Sampler repeated_sampler_;  // walks each list more often before it times it
  std::vector<ListMemory> memories_;
  std::vector<std::string> warnings_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tacho
