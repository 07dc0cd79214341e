#include "wall/wake_samples.hpp"

#include <algorithm>

#include "perfdata/cursor.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho {
namespace {

using perfdata::RecordedEvent, perfdata::Sample, perfdata::TracepointField;

}  // namespace

// Nothing if the event is not such a tracepoint, or the recording does not describe it.
std::optional<WakeSamples::Fields> WakeSamples::fields_of(const RecordedEvent& event) {
  if (event.type != perfdata::format::kTracepointType ||
      (event.sample_type & perfdata::format::kRaw) == 0)
    return std::nullopt;
  const bool known = event.name.starts_with("sched:sched_waking");
  const auto tid = perfdata::tracepoint_field(event.format, "pid");
  const auto flags = perfdata::tracepoint_field(event.format, "common_flags");
  if (!known || !tid || !flags || tid->size != sizeof(std::int32_t) || flags->size != 1)
    return std::nullopt;
  return Fields{*tid, *flags, (event.sample_type & perfdata::format::kCallchain) != 0,
                !event.inherited};
}

void WakeSamples::describe(const perfdata::Description& recording) {
  fields_.clear();
  for (const RecordedEvent& event : recording.events) {
    fields_.push_back(fields_of(event));
    if (fields_.back()) (fields_.back()->has_chain ? some_have_chains_ : some_have_none_) = true;
  }
}

bool WakeSamples::any() const {
  return std::ranges::any_of(fields_, [](const auto& each) { return each.has_value(); });
}

// An event that threads inherit is one of threads alone.
bool WakeSamples::any_everywhere() const {
  return std::ranges::any_of(fields_, [](const auto& each) { return each && each->everywhere; });
}

bool WakeSamples::tell_times(std::size_t event) const {
  return !fields_[event]->has_chain || !some_have_none_;
}

bool WakeSamples::tell_places(std::size_t event) const {
  return fields_[event]->has_chain || !some_have_chains_;
}

std::optional<WakeUp> WakeSamples::read(const perfdata::Record& record, const Sample& sample,
                                        const perfdata::Description& recording) {
  const RecordedEvent& event = recording.events[sample.event];
  if (!read_sample_details(record.body, event, recording.swapped, details_)) return std::nullopt;
  const auto value_at = [&](const TracepointField& field) -> std::uint32_t {
    if (field.offset > details_.raw.size() || field.size > details_.raw.size() - field.offset)
      return 0;
    perfdata::Cursor cursor(details_.raw.subspan(field.offset, field.size), recording.swapped);
    return field.size == 1 ? cursor.u8() : cursor.u32();
  };
  constexpr std::uint32_t kHardInterrupt = 0x08, kSoftInterrupt = 0x10;  // TRACE_FLAG_*IRQ
  const Fields& fields = *fields_[sample.event];
  const std::uint32_t flags = value_at(fields.flags);
  return WakeUp{.tid = static_cast<std::int32_t>(value_at(fields.tid)),
                .waker = (flags & kHardInterrupt) != 0 ? 0 : sample.tid.value_or(0),
                .in_softirq = (flags & kSoftInterrupt) != 0};
}

Sample without_thread(Sample sample) {
  sample.pid = sample.tid = 0;
  const auto user = std::ranges::find(sample.chain, perfdata::kUserMark);
  sample.chain = sample.chain.first(static_cast<std::size_t>(user - sample.chain.begin()));
  sample.user_abi = 0;
  sample.user_registers = {};
  sample.user_stack = {};
  return sample;
}

}  // namespace tacho
