// The weights of switches where the recorder sampled only those in short windows.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/hash_seed.hpp"
#include "wall/switch_windows.hpp"

namespace tacho {

// How many switches each sampled one stands for, by the window in which threads left their CPU.
class SwitchWeights {
 public:
  // A thread left its CPU. Windows without any sample belong to the next one that has some.
  void add(std::uint64_t time_ns, bool sampled) {
    if (open_.empty() || open_.back() != window_of(time_ns)) open_.push_back(window_of(time_ns));
    ++switches_;
    if (sampled) ++sampled_;
  }
  // No more switches come before this time. Returns true if more weights are known.
  bool end_before(std::uint64_t time_ns) {
    if (sampled_ == 0 || window_of(time_ns) <= open_.back()) return false;
    end();
    return true;
  }
  void end() {
    if (sampled_ > 0) last_ = static_cast<double>(switches_) / static_cast<double>(sampled_);
    // Nothing stands for the switches after the last sample. They are like those before.
    constexpr double kSome = 2;
    if (sampled_ == 0 && last_ == 1) last_ = kSome;
    for (const std::uint64_t window : open_) weights_[window] = last_;
    open_.clear();
    switches_ = sampled_ = 0;
  }

  // Nothing as long as it is not known.
  std::optional<double> at(std::uint64_t time_ns) const {
    const auto found = weights_.find(window_of(time_ns));
    if (found == weights_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::vector<std::uint64_t> open_;           // windows
  std::uint64_t switches_ = 0, sampled_ = 0;  // in them
  double last_ = 1;                           // weight
  std::unordered_map<std::uint64_t, double, NumberHash> weights_;
};

}  // namespace tacho
