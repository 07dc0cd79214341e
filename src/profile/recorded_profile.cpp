#include "profile/recorded_profile.hpp"

#include <utility>

#include "profile/profile_warnings.hpp"
#include "profile/sampled_event.hpp"

namespace tacho {

Result<RecordedProfile> read_profile(const RecordingInput& input, SampleDetails details) {
  std::unique_ptr<perfdata::Reader> reader = TACHO_TRY(open_recording(input));
  RecordedProfile recorded{std::move(reader), Profile(symbol_sources(input)), {}, false, 0};
  if (details == SampleDetails::times) recorded.profile.keep_samples();
  if (details == SampleDetails::owners) recorded.profile.keep_owners();
  SampleFilter filter = TACHO_TRY(sample_filter(input, recorded.description()));
  recorded.choice = filter.choice();
  // Waits have lengths, and are cut to chosen times. Whoever sees them apart does so itself.
  auto* const waits = dynamic_cast<WallReader*>(recorded.reader.get());
  const bool apart = input.view == WallView::apart;
  if (waits != nullptr && !apart) waits->cut_to(disjoint(recorded.choice.times));
  ReadThrough read = read_through(*recorded.reader, [&](const perfdata::Record& record) {
    const auto* sample = std::get_if<perfdata::Sample>(&record.what);
    const bool is_wait = apart && sample != nullptr && sample->event >= waits->own_events();
    recorded.profile.add(record, recorded.description(),
                         is_wait || filter.keeps(record, recorded.description()));
  });
  if (!apart) TACHO_TRY(filter.check());
  recorded.chosen = filter.chosen();
  recorded.profile.finish(recorded.description());
  const auto event = choose_event(input.event, recorded.profile, recorded.description());
  // Threads that only ran, or only waited, have states without any sample.
  const bool has_states = apart && !waits->states().threads().empty();
  if (!event && !has_states) return std::unexpected(read.damage ? *read.damage : event.error());
  recorded.event = event.value_or(0);
  recorded.warnings = std::move(read.warnings);
  recorded.damaged = read.damage.has_value();
  return recorded;
}

std::vector<std::string> RecordedProfile::all_warnings(Resolver& resolver) const {
  std::vector<std::string> all = warnings;
  const auto more = profile_warnings(profile, description(), resolver, event);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void show_inlined(RecordedProfile& recorded, Resolver& resolver) {
  resolver.show_inlined();
  recorded.profile.add_inlined([&](const CodePlace& place) { return resolver.levels_of(place); });
}

ProfileSummary summarize(const RecordedProfile& recorded, Resolver& resolver, SortBy sort,
                         std::span<const Metric> metrics) {
  ProfileSummary summary =
      summarize(recorded.profile, recorded.description(), resolver, sort, recorded.event, metrics);
  summary.damaged = recorded.damaged;
  summary.chosen = recorded.chosen;
  // Waits last, so the time does not end with the last sample.
  if (const auto* waits = dynamic_cast<const WallReader*>(recorded.reader.get());
      waits != nullptr && recorded.choice.times.empty() && waits->states().begin_ns())
    summary.seconds =
        static_cast<double>(*waits->states().end_ns() - *waits->states().begin_ns()) / 1e9;
  if (summary.chosen) summary.overhead.reset();  // the CPU time is that of the whole recording
  summary.warnings.insert(summary.warnings.begin(), recorded.warnings.begin(),
                          recorded.warnings.end());
  return summary;
}

}  // namespace tacho
