// Made-up records and the profile that is made from them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "locate_made_up_records.hpp"
#include "perfdata/record.hpp"
#include "profile/profile.hpp"
#include "report/text_sink.hpp"

namespace tacho {

class MadeUpRecording : public MadeUpRecords<Profile> {
 public:
  explicit MadeUpRecording(std::vector<std::string> events = {"cycles"}) {
    for (const std::string& name : events) {
      description.events.emplace_back();
      description.events.back().name = name;
      description.events.back().period = 1000;
    }
  }

  void sample(std::int32_t pid, std::uint64_t ip, std::size_t event = 0,
              std::uint64_t period = 1000, const std::vector<std::uint64_t>& chain = {},
              perfdata::Mode mode = perfdata::Mode::user) {
    perfdata::Sample sample;
    sample.event = event;
    sample.mode = mode;
    sample.ip = ip;
    sample.pid = sample.tid = pid;
    sample.period = period;
    sample.chain = chain;
    add(sample);
  }
  void kernel_sample(std::int32_t pid, std::uint64_t ip) {
    sample(pid, ip, 0, 1000, {}, perfdata::Mode::kernel);
  }

  // To be called after the last record.
  Profile& finished() {
    if (!finished_) profile.finish(description);
    finished_ = true;
    return profile;
  }
  // Number of samples of an event at this offset of a module. After the last record.
  std::uint64_t samples_at(const std::string& module, std::uint64_t offset, std::size_t event = 0) {
    finished();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < profile.cells().size(); ++i)
      if (profile.modules()[profile.cells()[i].module].path == module &&
          profile.cells()[i].offset == offset)
        sum += profile.count(event, i).samples;
    return sum;
  }

  Profile& profile = kept;

 private:
  bool finished_ = false;
};

// The whole of an export.
inline std::string whole(std::string text) {
  return text;
}
inline std::string whole(const TextWriter& write) {
  std::string text;
  write([&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace tacho
