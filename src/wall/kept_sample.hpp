// A sample that is needed when its record is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perfdata/record.hpp"

namespace tacho {

// The sample of a switch or of a wake-up, which outlives the record it came in.
class KeptSample {
 public:
  explicit KeptSample(const perfdata::Sample& sample)
      : sample_(sample),
        chain_(sample.chain.begin(), sample.chain.end()),
        registers_(sample.user_registers.begin(), sample.user_registers.end()),
        stack_(sample.user_stack.begin(), sample.user_stack.end()) {}
  std::uint64_t time_ns() const { return sample_.time_ns.value_or(0); }
  // Valid as long as this object.
  perfdata::Sample sample() const {
    perfdata::Sample sample = sample_;
    sample.chain = chain_;
    sample.user_registers = registers_;
    sample.user_stack = stack_;
    sample.branches = {};
    if (!sample.ip) sample.ip = 0;  // a place that no code has
    return sample;
  }

 private:
  perfdata::Sample sample_;
  std::vector<std::uint64_t> chain_, registers_;
  std::vector<std::byte> stack_;
};

}  // namespace tacho
