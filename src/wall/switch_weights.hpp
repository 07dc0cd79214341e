// The weights of switches where the recorder sampled only those in short windows.
#pragma once

#include <cstdint>
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
    if (!open_.empty() && open_.back() != window_of(time_ns) && sampled_ > 0) end();
    if (open_.empty() || open_.back() != window_of(time_ns)) open_.push_back(window_of(time_ns));
    ++switches_;
    if (sampled) ++sampled_;
  }
  // The recording ends.
  void end() {
    if (sampled_ > 0) last_ = static_cast<double>(switches_) / static_cast<double>(sampled_);
    // Nothing stands for the switches after the last sample. They are like those before.
    constexpr double kSome = 2;
    if (sampled_ == 0 && last_ == 1) last_ = kSome;
    any_sample_ = any_sample_ || sampled_ > 0;
    each_sampled_ = each_sampled_ && last_ == 1;
    for (const std::uint64_t window : open_) weights_[window] = last_;
    open_.clear();
    switches_ = sampled_ = 0;
  }

  // As long as the window has not ended, that of the one before.
  double at(std::uint64_t time_ns) const {
    if (!any_sample_) return 1;  // the recorder took none at all
    const auto found = weights_.find(window_of(time_ns));
    return found == weights_.end() ? last_ : found->second;
  }
  bool is_empty() const { return weights_.empty(); }
  bool each_sampled() const { return !any_sample_ || each_sampled_; }

 private:
  std::vector<std::uint64_t> open_;           // windows
  std::uint64_t switches_ = 0, sampled_ = 0;  // in them
  double last_ = 1;                           // weight
  bool any_sample_ = false, each_sampled_ = true;
  std::unordered_map<std::uint64_t, double, NumberHash> weights_;
};

}  // namespace tacho
