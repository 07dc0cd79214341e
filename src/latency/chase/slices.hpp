// Samples taken in short slices, so that what others disturb is a few slices and can be left out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "latency/chase/kernels.hpp"
#include "latency/chase/route.hpp"
#include "stats/histogram.hpp"

namespace tacho::chase {

// Whether another thread runs on the same core: reading the clock takes a fixed number of the
// core's cycles while it is alone, and a quarter more while it shares the core's ports and caches.
class Company {
 public:
  // What an empty pair of readings took, in ticks. Whether that is more than it ever took alone.
  bool met(std::uint32_t empty, double cycles_per_tick);

 private:
  double least_ = 0;  // cycles; 0: none was seen yet
};

// How one slice was disturbed. The worse, the greater.
enum class Spoilt { no, shared, slow, switched };

class Slices {
 public:
  // Takes samples from here on; where it arrived.
  using Take = std::function<Link*(Link*, std::span<Timed>)>;

  Slices(std::size_t wanted, double cycles_per_tick)
      : wanted_(wanted), cycles_per_tick_(cycles_per_tick) {}

  // Takes slices until `wanted` samples are undisturbed, or until the deadline. Whoever runs
  // meanwhile uses the caches too: after that the list is loaded again before the next slice.
  Link* collect(const Take& take, Link* at, Route& route, Company& company,
                std::chrono::steady_clock::time_point deadline, const Stop& stop);

  // Puts the least disturbed into the histograms, as many as it takes for a quarter of what was
  // wanted.
  struct Kept {
    double disturbed = 0;  // the share of what was put that slow or switched slices have
    bool shared = false;   // some of it was taken while another thread used the core
  };
  Kept put(Histogram& loaded, Histogram& empty);

 private:
  struct Slice {
    std::vector<Timed> samples;
    std::uint64_t ns = 0;
    Spoilt spoilt = Spoilt::no;
  };
  void find_slow();

  std::size_t wanted_;
  double cycles_per_tick_;
  std::vector<Slice> slices_;
};

}  // namespace tacho::chase
