// Samples in short slices: other work disturbs a few slices, which are left out.
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

// Detects another thread on the same core: reading the clock takes a fixed number of core cycles
// alone, and a quarter more while another thread uses the core's ports and caches.
class SharedCore {
 public:
  // Whether an empty pair of readings, in ticks, took more than it ever took alone.
  bool detected(std::uint32_t empty, double cycles_per_tick);

 private:
  double least_ = 0;  // cycles; 0: no reading so far
};

// How a slice was disturbed, the least severe first.
enum class SliceDisturbance { none, shared, slow, switched };

class Slices {
 public:
  // Takes samples from a line on, and returns the line where it ends.
  using Take = std::function<Link*(Link*, std::span<Timed>)>;

  Slices(std::size_t wanted, double cycles_per_tick)
      : wanted_(wanted), cycles_per_tick_(cycles_per_tick) {}

  // Takes slices until `wanted` samples are undisturbed, or until the deadline. Other threads use
  // the caches too: after a disturbed slice the list is loaded again before the next one.
  Link* collect(const Take& take, Link* at, Route& route, SharedCore& shared_core,
                std::chrono::steady_clock::time_point deadline, const Stop& stop);

  // Adds the least disturbed slices to the histograms: the undisturbed ones, and others up to a
  // quarter of the wanted samples.
  struct Kept {
    double disturbed = 0;  // share of the added slices that are slow or switched
    bool shared = false;   // another thread used the core during some of them
  };
  Kept add_to(Histogram& loaded, Histogram& empty);

 private:
  struct Slice {
    std::vector<Timed> samples;
    std::uint64_t ns = 0;
    SliceDisturbance disturbance = SliceDisturbance::none;
  };
  void find_slow();

  std::size_t wanted_;
  double cycles_per_tick_;
  std::vector<Slice> slices_;
};

}  // namespace tacho::chase
