// The callers or the callees of one function, from the call chains of its samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "locate/resolver.hpp"
#include "locate/sample_choice.hpp"
#include "profile/profile.hpp"
#include "stats/share.hpp"

namespace tacho {

enum class CallSide : std::uint8_t { callers, callees };

// A caller or callee. Samples are counted by the function next to the innermost call of the viewed
// function.
struct CallShare {
  // No function: its name is not known. No module either: see CallView::rows.
  std::string module, function;
  bool cut = false;  // the chains were cut here: the function had a caller that is not known
  SampleCount count;
  double share = 0;  // of the samples of the viewed function
  ShareInterval ci95;
};

struct CallView {
  std::string module, function;  // all functions that the name means, such as overloads
  CallSide side = CallSide::callers;
  SampleCount total;  // samples that have the function in their call chains
  // Largest share first. A row without a module has the samples in which the function had no
  // caller, or no callee.
  std::vector<CallShare> rows;
  std::optional<ChosenSamples> chosen;  // none: all samples
  bool has_lengths = false;             // samples are times of different lengths, and counts are ns
};

// Errors: no call chain has the function, or the recording has no call chains.
Result<CallView> call_view(const Profile&, Resolver&, std::size_t event,
                           const std::string& function, CallSide side);

}  // namespace tacho
