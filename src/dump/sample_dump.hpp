// Gathers what is printed of each sample of a recording: its names, its call chain, its branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dump/dumped_sample.hpp"
#include "dump/fields.hpp"
#include "dump/locator.hpp"
#include "perfdata/reader.hpp"
#include "perfdata/record.hpp"

namespace tacho {

struct SampleDumpOptions {
  DumpFieldChoice fields;
  std::vector<std::string> events;  // names; empty: the samples of all events
  bool chains = true;               // call chains, if the samples have them
  bool inlined = false;             // the functions that were inlined at an address, too
  bool json = false;
  TimeUnit unit = TimeUnit::microseconds;
};

class SampleDump {
 public:
  // `recording` must outlive the dump.
  SampleDump(const perfdata::Description& recording, const SymbolSources& sources,
             SampleDumpOptions options);

  // Appends the text of a sample. Other records say what later samples mean.
  void add(const perfdata::Record& record, std::string& text);

  // Names of events that the user asked for and that the recording does not have.
  std::vector<std::string> missing_events() const;
  std::vector<std::string> warnings() const { return locator_.warnings(); }

 private:
  // What is the same for all samples of an event.
  struct PerEvent {
    DumpedName name;
    DumpFields fields;
    bool chosen = false;
    bool has_chain = false;
    bool names_address = false;  // the data address is one of a mapping
    bool wants_branches = false;
  };

  const PerEvent& event(std::size_t index);
  void see_new_events();
  void gather_chain(const perfdata::Sample& sample, const PerEvent& event);
  void gather_branches(const perfdata::Sample& sample, const DumpFields& fields);
  DumpedFrame frame(const perfdata::Sample& sample, perfdata::Mode mode, std::uint64_t address,
                    bool is_return_address, const DumpFields& fields);
  void append_sample(const perfdata::Record& record, const perfdata::Sample& sample,
                     const PerEvent& event, std::string& text);

  const perfdata::Description& recording_;
  SampleDumpOptions options_;
  Locator locator_;
  std::vector<PerEvent> events_;
  std::size_t event_width_ = 0;
  perfdata::SampleDetails details_;
  std::vector<DumpedFrame> chain_;
  std::vector<DumpedBranch> branches_;
};

}  // namespace tacho
