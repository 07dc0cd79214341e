#include "latency/chase/kernels.hpp"

#include <array>
#include <utility>

#include "latency/chase/steps.hpp"

namespace tacho::chase {
namespace {

template <class Step>
[[gnu::always_inline]] inline Link* sixteen(Link* at) noexcept {
#define TACHO_STEP at = Step::step(at);
#define TACHO_FOUR TACHO_STEP TACHO_STEP TACHO_STEP TACHO_STEP
  TACHO_FOUR TACHO_FOUR TACHO_FOUR TACHO_FOUR
#undef TACHO_FOUR
#undef TACHO_STEP
      return at;
}

// The steps between two samples: 1 to 15.
class Gap {
 public:
  unsigned next() noexcept {
    random_ = random_ * 1664525U + 1013904223U;  // Numerical Recipes, 7.1
    return (random_ >> 28U) | 1U;
  }

 private:
  std::uint32_t random_ = 1;
};

template <class Clock>
[[gnu::always_inline]] inline std::uint32_t nothing(Link* at) noexcept {
  const std::uint32_t begin = Clock::now();
  await(at);
  return Clock::now() - begin;
}

template <class Step>
[[gnu::noinline]] Link* walk(Link* at, std::size_t steps) {
  for (; steps >= 16; steps -= 16) at = sixteen<Step>(at);
  for (; steps != 0; --steps) at = Step::step(at);
  return at;
}

template <class Clock, class Step>
[[gnu::noinline]] Link* singles(Link* at, std::span<Timed> samples) {
  Gap gap;
  for (Timed& sample : samples) {
    for (unsigned left = gap.next(); left != 0; --left) at = Step::step(at);
    await(at);
    static_cast<void>(nothing<Clock>(at));
    const std::uint32_t empty = nothing<Clock>(at);
    const std::uint32_t begin = Clock::now();
    at = Step::step(at);
    await(at);
    sample = {empty, Clock::now() - begin};
  }
  return at;
}

template <class Clock, class Step>
[[gnu::noinline]] Link* blocks(Link* at, unsigned times, std::span<Timed> samples) {
  static_assert(kBlock == 64);
  for (Timed& sample : samples) {
    at = Step::step(at);
    await(at);
    static_cast<void>(nothing<Clock>(at));
    const std::uint32_t empty = nothing<Clock>(at);
    const std::uint32_t begin = Clock::now();
    for (unsigned left = times; left != 0; --left)
      at = sixteen<Step>(sixteen<Step>(sixteen<Step>(sixteen<Step>(at))));
    await(at);
    sample = {empty, Clock::now() - begin};
  }
  return at;
}

// Each address is in a register of its own, as far as the machine has enough.
template <class Step, std::size_t kChases>
[[gnu::noinline]] std::uint64_t steps_in_parallel(Link** at, std::size_t blocks) {
  std::array<Link*, kChases> here{};
  for (std::size_t i = 0; i < kChases; ++i) here[i] = at[i];
  const std::uint64_t begin = ordered_ticks();
  for (std::size_t left = blocks * kBlock; left != 0; --left) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kChases; ++i) here[i] = Step::step(here[i]);
  }
  for (Link* each : here) await(each);
  const std::uint64_t ticks = ordered_ticks() - begin;
  for (std::size_t i = 0; i < kChases; ++i) at[i] = here[i];
  return ticks;
}

template <class Step, std::size_t... kLess>
std::uint64_t choose(std::span<Link*> at, std::size_t blocks, std::index_sequence<kLess...>) {
  using Steps = std::uint64_t (*)(Link**, std::size_t);
  constexpr std::array<Steps, kMostChases> kSteps = {steps_in_parallel<Step, kLess + 1>...};
  return kSteps.at(at.size() - 1)(at.data(), blocks);
}

template <class Step>
std::uint64_t parallel(std::span<Link*> at, std::size_t blocks) {
  return choose<Step>(at, blocks, std::make_index_sequence<kMostChases>());
}

template <class Clock>
Kernel with(Access access) {
  switch (access) {
    case Access::load:
      return {walk<Load>, singles<Clock, Load>, blocks<Clock, Load>, parallel<Load>};
    case Access::write:
      return {walk<Write>, singles<Clock, Write>, blocks<Clock, Write>, parallel<Write>};
    case Access::atomic:
      return {walk<Atomic>, singles<Clock, Atomic>, blocks<Clock, Atomic>, parallel<Atomic>};
  }
  return {};
}

}  // namespace

std::string_view to_string(Access access) {
  constexpr std::array<std::string_view, 3> kNames = {"load", "write", "atomic"};
  return kNames.at(static_cast<std::size_t>(access));
}

Kernel kernel(Access access, [[maybe_unused]] Timer timer) {
#if defined(__aarch64__) || defined(__arm__)
  if (timer == Timer::cycles) return with<Cycles>(access);
#endif
  return with<Ticks>(access);
}

}  // namespace tacho::chase
