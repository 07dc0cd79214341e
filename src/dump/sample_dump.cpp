#include "dump/sample_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/number.hpp"
#include "locate/chain_frames.hpp"
#include "locate/recording_input.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho {
namespace {

// Whether the data address of the event's samples is one that a mapping can have: of page faults
// and breakpoints. perf names it for these events only.
bool names_its_address(const perfdata::RecordedEvent& event) {
  constexpr std::uint32_t kSoftware = 1, kBreakpoint = 5;  // PERF_TYPE_*
  constexpr std::uint64_t kPageFaults = 2, kMinor = 5, kMajor = 6;
  const bool fault =
      event.config == kPageFaults || event.config == kMinor || event.config == kMajor;
  return event.type == kBreakpoint || (event.type == kSoftware && fault);
}

// Of a branch or of data, for which no mode is recorded: the kernel has the upper half.
perfdata::Mode mode_of_address(std::uint64_t address) {
  return address >> 63 != 0 ? perfdata::Mode::kernel : perfdata::Mode::user;
}

// The number of events that a sample stands for; none if the recording does not say it.
perfdata::OptionalU64 period_of(const perfdata::Sample& sample,
                                const perfdata::RecordedEvent& event) {
  if (sample.period) return sample.period;
  if (event.period > 0) return event.period;
  return std::nullopt;
}

}  // namespace

SampleDump::SampleDump(const perfdata::Description& recording, const SymbolSources& sources,
                       SampleDumpOptions options)
    : recording_(recording), options_(std::move(options)), locator_(recording, sources) {}

// A stream may describe an event between its samples, and name it even later.
void SampleDump::see_new_events() {
  for (std::size_t i = events_.size(); i < recording_.events.size(); ++i) {
    const perfdata::RecordedEvent& event = recording_.events[i];
    const std::string name = event.name.empty() ? fmt::format("event {}", i + 1) : event.name;
    PerEvent made;
    made.name = dumped_name(name);
    made.fields = fields_of(event, options_.fields);
    made.chosen = options_.events.empty() ||
                  std::ranges::any_of(options_.events, [&](const std::string& asked) {
                    const auto named = named_event(asked, recording_);
                    return named && *named == i;
                  });
    made.has_chain = options_.chains && (event.sample_type & perfdata::format::kCallchain) != 0;
    made.names_address = made.fields.has(DumpField::address) && names_its_address(event);
    made.wants_branches =
        made.fields.has(DumpField::branches) || made.fields.has(DumpField::branch_symbols);
    event_width_ = std::max(event_width_, display_width(made.name.text));
    events_.push_back(std::move(made));
  }
}

std::vector<std::string> SampleDump::missing_events() const {
  std::vector<std::string> missing;
  for (const std::string& asked : options_.events)
    if (!named_event(asked, recording_)) missing.push_back(asked);
  return missing;
}

void SampleDump::add(const perfdata::Record& record, std::string& text) {
  const auto* sample = std::get_if<perfdata::Sample>(&record.what);
  if (sample == nullptr) return locator_.add(record);
  see_new_events();
  if (sample->event >= events_.size() || !events_[sample->event].chosen) return;
  append_sample(record, *sample, events_[sample->event], text);
}

DumpedFrame SampleDump::frame(const perfdata::Sample& sample, perfdata::Mode mode,
                              std::uint64_t address, bool is_return_address,
                              const DumpFields& fields) {
  DumpedFrame frame{address, {}, nullptr};
  const std::uint64_t at = looked_up(address, is_return_address);
  if (fields.has(DumpField::symbol) || fields.has(DumpField::module)) {
    frame.location = locator_.of(sample, mode, at);
    frame.location.offset += address - at;
  }
  if (options_.inlined || fields.has(DumpField::source_line))
    frame.source = &locator_.source_of(sample, mode, at);
  return frame;
}

void SampleDump::gather_chain(const perfdata::Sample& sample, const PerEvent& event) {
  chain_.clear();
  if (!event.has_chain || !event.fields.has(DumpField::ip)) return;
  for_each_frame(locator_.chain_of(sample), sample.mode,
                 [&](perfdata::Mode mode, std::uint64_t address, bool is_return_address) {
                   chain_.push_back(frame(sample, mode, address, is_return_address, event.fields));
                 });
}

void SampleDump::gather_branches(const perfdata::Sample& sample, const DumpFields& fields) {
  branches_.clear();
  const auto locate = [&](std::uint64_t address) {
    if (!fields.has(DumpField::branch_symbols) && !fields.has(DumpField::module))
      return NamedAddress();
    return locator_.of(sample, mode_of_address(address), address);
  };
  for (const perfdata::Branch& branch : sample.branches)
    branches_.push_back({branch, locate(branch.from), locate(branch.to)});
}

void SampleDump::append_sample(const perfdata::Record& record, const perfdata::Sample& sample,
                               const PerEvent& event, std::string& text) {
  const perfdata::RecordedEvent& recorded = recording_.events[sample.event];
  locator_.make_room();
  read_sample_details(record.body, recorded, recording_.swapped, details_);
  gather_chain(sample, event);
  branches_.clear();
  if (event.wants_branches) gather_branches(sample, event.fields);
  DumpedSample of;
  of.sample = &sample;
  of.details = &details_;
  of.fields = event.fields;
  of.command = &locator_.name_of(sample.tid.value_or(-1));
  of.event = &event.name;
  of.event_width = event_width_;
  of.time_ns = record.time_ns;
  of.period = period_of(sample, recorded);
  of.has_chain = event.has_chain;
  of.wants_inlined = options_.inlined;
  if (sample.ip) of.own = frame(sample, sample.mode, *sample.ip, false, event.fields);
  of.chain = chain_;
  of.branches = branches_;
  if (event.names_address && details_.address)
    of.address = locator_.of(sample, mode_of_address(*details_.address), *details_.address);
  of.architecture = recording_.architecture;
  of.user_registers = recorded.user_registers;
  of.interrupt_registers = recorded.interrupt_registers;
  if (options_.json)
    append_json(text, of);
  else
    append_text(text, of, options_.unit);
}

}  // namespace tacho
