// Lets the chosen samples of a recording through, wherever it is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "locate/module_file.hpp"
#include "locate/recorded_code.hpp"
#include "locate/sample_choice.hpp"
#include "locate/thread_names.hpp"
#include "perfdata/record.hpp"

namespace tacho {

class SampleFilter {
 public:
  // The times of the choice are on the recording's clock (on_clock()). `sources` finds the files of
  // JIT compilers, whose code is in modules of its own.
  explicit SampleFilter(SampleChoice choice, SymbolSources sources = {});

  // Whether this record is of the chosen samples. Called with every record, in order. Beside
  // samples, only beginnings and ends of threads are left out: those of threads or at times that
  // were not chosen.
  bool keeps(const perfdata::Record&, const perfdata::Description&);

  const SampleChoice& choice() const { return choice_; }
  // None if everything is chosen.
  std::optional<ChosenSamples> chosen() const;
  // An error if the recording has samples, and none was chosen. It names those that there are.
  Result<void> check() const;

 private:
  enum Aspect : std::uint8_t { kCommand, kProcess, kThread, kModule, kCpu, kTime, kAspects };
  // What a record is compared by.
  struct Facts {
    std::int32_t pid = -1, tid = -1;
    std::optional<std::uint32_t> cpu;
    perfdata::OptionalU64 time_ns;
    std::uint32_t module = 0;
  };

  bool fits(Aspect, const Facts&);
  bool fits_module(std::uint32_t module);
  std::string value(Aspect, const Facts&) const;
  std::string last_name(Aspect, const std::string& value) const;
  bool keeps_sample(const perfdata::Sample&, perfdata::OptionalU64 time_ns);
  bool keeps_thread(const Facts&);

  SampleChoice choice_;
  bool everything_;
  std::vector<Aspect> used_;
  ThreadNames names_;
  RecordedCode code_;                  // only if modules were chosen
  std::vector<std::uint8_t> modules_;  // by module: 0 not known yet, 1 chosen, 2 not chosen
  std::uint64_t seen_ = 0, kept_ = 0;
  std::array<std::uint64_t, kAspects> fitting_{};  // samples that fit each aspect
  // By aspect: the values of samples that did not fit, for the error.
  std::array<std::map<std::string, std::uint64_t>, kAspects> others_;
  perfdata::OptionalU64 first_ns_, last_ns_;
};

}  // namespace tacho
