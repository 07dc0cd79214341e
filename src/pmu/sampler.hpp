// Sampling: a record of what ran each time that an event has counted so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// Of cpu-clock and task-clock, in ns: the kernel's timer takes no shorter one.
inline constexpr std::uint64_t kShortestClockPeriod = 10'000;

struct SampleSpec {
  enum class Chains {
    none,
    frame_pointers,  // walked by the kernel: short and fast, where code keeps frame pointers
    dwarf,           // registers and a piece of the stack, to be unwound later
  };
  std::optional<std::uint64_t> period;  // events between two samples; else by frequency
  std::uint64_t frequency = 4'000;      // samples a second of each thread, as near as it gets
  Chains chains = Chains::none;
  std::uint32_t stack_bytes = 8'192;  // of the stack, for dwarf: a multiple of 8
  bool branches = false;              // the stack of the last branches, where the core keeps one
};

// A sampled event as recordings describe it.
struct OpenedEvent {
  std::string name;
  std::vector<std::byte> attributes;  // struct perf_event_attr
  std::vector<std::uint64_t> ids;     // of its instances: one a thread and CPU
  std::uint32_t leads = 0;            // so many of the next events: they get counters together
};

// Samples events on a target, until it is destroyed. Not thread-safe.
struct Sampler {
  // Takes whole records, one behind the other, in the layout of perf_event.h.
  using Sink = std::function<Result<void>(std::span<const std::byte>)>;

  virtual ~Sampler() = default;
  virtual const std::vector<OpenedEvent>& events() const = 0;
  virtual Result<void> enable() = 0;
  // Readable (poll(2)) when there is much to drain.
  virtual int descriptor() const = 0;
  // Hands over what has been recorded so far. What the sink refuses is gone.
  virtual Result<void> drain(const Sink& sink) = 0;
  // By event, for what part of the time that it was to be sampled it really had a counter; none
  // where that can't be told. Less than 1: others used the PMU too, or it has too few counters.
  virtual std::vector<std::optional<double>> coverage() const = 0;
  // Makes periods other than they were, by up to a tenth, so that what the target does
  // periodically can't keep in step with them. `draw` is evenly drawn from 0 to 1. Not where the
  // user chose a period.
  virtual void dither(double draw) = 0;
};

}  // namespace tacho
