// Which lists are timed on this machine: on which pages, in which order, and which of them again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "latency/native_prober.hpp"
#include "latency/survey.hpp"

namespace tacho {

struct NativeSurveyRequest {
  std::size_t most_bytes = 0;      // of the largest list
  std::vector<std::size_t> sizes;  // bytes, by rising size: only these, each twice. Empty: two an
                                   // octave, more at edges, and lists for the TLB on small pages
  bool small = true;               // on the kernel's base pages
  bool huge = true;
  SurveyedMachine machine;
  NativeProber::Settings probing;
};

struct NativeSurvey {
  std::vector<LatencySample> samples;
  std::vector<CacheFill> fills;       // of the caches that a core has for itself
  std::vector<std::string> warnings;  // what was not available
  bool partial = false;               // ended before its end
  double waited_s = 0;  // for the CPU, while others ran or a limit (cpu.max) withheld it
  double stolen_s = 0;  // by the hypervisor
  bool knows_stolen = false;
};

// An error only if nothing could be measured. What ends it later leaves a part and a warning.
Result<NativeSurvey> survey_machine(const NativeSurveyRequest& request, const chase::Stop& stop,
                                    const SurveyProgressCallback& progress);

}  // namespace tacho
