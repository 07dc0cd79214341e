// A stretch of time in equal slices.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tacho {

struct TimeGrid {
  std::uint64_t start_ns = 0, slice_ns = 1;
  std::uint32_t slices = 0;
  std::uint64_t span_ns = 0;  // the last slice may be shorter

  // From `start_ns` up to `end_ns`, which no slice contains, in at most `most` slices.
  static TimeGrid of(std::uint64_t start_ns, std::uint64_t end_ns, std::uint32_t most) {
    const std::uint64_t span_ns = std::max(end_ns, start_ns + 1) - start_ns;
    const std::uint64_t slice_ns = span_ns / most + (span_ns % most == 0 ? 0 : 1);
    const std::uint64_t slices = span_ns / slice_ns + (span_ns % slice_ns == 0 ? 0 : 1);
    return {start_ns, slice_ns, static_cast<std::uint32_t>(slices), span_ns};
  }

  // The slice of a time; times outside count at the ends.
  std::uint32_t slice_of(std::uint64_t time_ns) const {
    const std::uint64_t since = (time_ns - std::min(time_ns, start_ns)) / slice_ns;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(since, slices - 1));
  }

  // Calls `use` with each slice that the time from `begin_ns` to `end_ns` is in, and the part of it
  // that is in there, in ns. Times outside are left out.
  template <class Use>
  void each_slice(std::uint64_t begin_ns, std::uint64_t end_ns, const Use& use) const {
    std::uint64_t at = std::max(begin_ns, start_ns) - start_ns;
    const std::uint64_t last = std::min(std::max(end_ns, start_ns) - start_ns, span_ns);
    while (at < last) {
      const std::uint64_t slice = at / slice_ns;
      const std::uint64_t here = std::min(last - at, slice_ns - at % slice_ns);
      use(static_cast<std::uint32_t>(slice), here);
      at += here;
    }
  }
};

}  // namespace tacho
