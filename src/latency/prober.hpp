// The interface to whatever times lists: this machine, or a simulated one.
#pragma once

#include <cstddef>
#include <optional>

#include "base/result.hpp"
#include "latency/inference/samples.hpp"

namespace tacho {

struct ListToProbe {
  Layout layout = Layout::packed;
  std::size_t lines = 0;  // 1 to capacity()
};

class Prober {
 public:
  Prober() = default;
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;
  virtual ~Prober() = default;

  // Times a list. No sample if the measurement has ended meanwhile.
  virtual Result<std::optional<LatencySample>> probe(const ListToProbe& list) = 0;

  // Whether the measurement has to end: the user stopped it, or the processor is gone.
  virtual bool ended() = 0;

  // Lines of the longest list that can be timed now.
  virtual std::size_t capacity(Layout layout) const = 0;
};

}  // namespace tacho
