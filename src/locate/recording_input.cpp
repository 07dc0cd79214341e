#include "locate/recording_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <map>
#include <ranges>
#include <string>
#include <utility>

#include "estimate/metrics.hpp"
#include "locate/debuginfod.hpp"
#include "locate/recording_files.hpp"
#include "perfdata/directory_reader.hpp"
#include "perfdata/joined_reader.hpp"
#include "perfdata/nameless_file.hpp"

namespace tacho {
namespace {

// What the reader left out, if that makes a report doubtful.
std::vector<std::string> tally_warnings(const perfdata::Tally& tally) {
  std::vector<std::string> warnings;
  const auto warn = [&](std::uint64_t count, std::string_view one, std::string_view several) {
    if (count > 0) warnings.push_back(fmt::format("{} {}", count, count == 1 ? one : several));
  };
  warn(tally.damaged_features, "feature section of the recording is damaged",
       "feature sections of the recording are damaged");
  warn(tally.unparsed, "record runs past its end and is left out",
       "records run past their end and are left out");
  warn(tally.no_event, "sample belongs to no event of the recording and is left out",
       "samples belong to no event of the recording and are left out");
  warn(tally.out_of_order, "record came too late to be sorted by time",
       "records came too late to be sorted by time");
  std::uint64_t unknown = 0;
  for (const auto& [type, count] : tally.unknown) unknown += count;
  const std::string types =
      fmt::format("{}", fmt::join(tally.unknown | std::views::keys, ", "));  // PERF_RECORD_*
  warn(unknown, fmt::format("record of a type that tacho does not know is left out ({})", types),
       fmt::format("records of types that tacho does not know are left out ({})", types));
  return warnings;
}

// By process and thread.
std::map<std::pair<std::int32_t, std::int32_t>, std::string> names_of_threads(
    const ThreadStates& states) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::string> names;
  for (const ThreadTimes& each : states.threads()) names[{each.pid, each.tid}] = each.name;
  return names;
}

Result<std::unique_ptr<perfdata::Reader>> open_files(std::vector<std::string> files) {
  files = recording_files(files);
  auto reader = files.size() == 1 ? perfdata::open_file_or_directory(files.front())
                                  : perfdata::open_joined(std::move(files));
  if (!reader && reader.error().code == ENOENT)
    reader.error().remedy = "'tacho record -- COMMAND' makes perf.data; -i names another recording";
  return reader;
}

}  // namespace

Result<std::unique_ptr<perfdata::Reader>> open_recording(const RecordingInput& input) {
  if (input.debuginfod) TACHO_TRY(need_debuginfod());
  std::vector<std::string> files{input.file};
  files.insert(files.end(), input.more.begin(), input.more.end());
  if (input.view == WallView::none) return open_files(std::move(files));
  WallScales scales;
  Fd copy;
  if (input.view != WallView::apart) {
    // What a wait stands for is known when all have been read. So it is read twice.
    if (input.file == "-") {
      copy = TACHO_TRY(perfdata::copy_of_standard_input());
      files = {fmt::format("/proc/self/fd/{}", copy.get())};
    }
    auto reader = TACHO_TRY(open_files(files));
    const auto first = TACHO_TRY(open_wall_reader(std::move(reader), WallView::apart));
    read_through(*first, [](const perfdata::Record&) {});
    const auto names = names_of_threads(first->states());
    scales = wall_scales(*first, [&](const TimeOff& off) {
      const auto name = names.find({off.pid, off.tid});
      return has_thread(input.choice, off.pid, off.tid, name == names.end() ? "" : name->second);
    });
  }
  auto reader = TACHO_TRY(open_files(std::move(files)));
  return open_wall_reader(std::move(reader), input.view, std::move(scales));
}

namespace {

// The times of the first and the last sample, or where waits have lengths, of the recording: from
// the description, or by reading everything.
Result<SampleTimeRange> time_range(const RecordingInput& input,
                                   const perfdata::Description& recording) {
  const bool of_waits = input.view != WallView::none;
  if (of_waits && recording.begin_ns && recording.end_ns)
    return SampleTimeRange{*recording.begin_ns, *recording.end_ns};
  if (!of_waits && recording.last_sample_ns.value_or(0) > 0)
    return SampleTimeRange{recording.first_sample_ns.value_or(0), *recording.last_sample_ns};
  if (input.file == "-")
    return failure(
        "--time needs the time of the first or the last sample, which a stream on "
        "standard input does not tell in advance",
        "save the recording in a file, or give seconds of its clock");
  const auto reader = TACHO_TRY(open_recording(input));
  SampleTimeRange range{std::numeric_limits<std::uint64_t>::max(), 0};
  read_through(*reader, [&](const perfdata::Record& record) {
    const auto* sample = std::get_if<perfdata::Sample>(&record.what);
    if (sample == nullptr || !sample->time_ns) return;
    range.first_ns = std::min(range.first_ns, *sample->time_ns);
    range.last_ns = std::max(range.last_ns, *sample->time_ns);
  });
  if (const auto* waits = dynamic_cast<const WallReader*>(reader.get()); waits != nullptr)
    if (const auto begin_ns = waits->states().begin_ns())
      return SampleTimeRange{*begin_ns, waits->states().end_ns().value_or(*begin_ns)};
  if (range.first_ns > range.last_ns)
    return failure("--time: the samples of the recording have no times",
                   "leave out --time, or record with tacho record");
  return range;
}

}  // namespace

Result<SampleFilter> sample_filter(const RecordingInput& input,
                                   const perfdata::Description& recording) {
  SampleChoice choice = input.choice;
  const bool relative = std::ranges::any_of(
      choice.times, [](const TimeSlice& slice) { return slice.origin != TimeOrigin::clock; });
  if (relative) {
    const SampleTimeRange range = TACHO_TRY(time_range(input, recording));
    choice.times = on_clock(std::move(choice.times), range);
  }
  return SampleFilter(std::move(choice), symbol_sources(input));
}

ReadThrough read_through(perfdata::Reader& reader,
                         const std::function<void(const perfdata::Record&)>& visit) {
  ReadThrough read;
  for (;;) {
    auto record = reader.next();
    if (!record) read.damage = record.error();
    if (!record || *record == nullptr) break;
    visit(**record);
  }
  if (read.damage)
    read.warnings.push_back(fmt::format(
        "the recording is damaged, and only the samples before the damage are shown: {}",
        read.damage->what));
  if (reader.description().unfinished)
    read.warnings.emplace_back(
        "the recorder was stopped before it completed the file: only what it had written is shown");
  for (std::string& warning : tally_warnings(reader.tally()))
    read.warnings.push_back(std::move(warning));
  return read;
}

SymbolSources symbol_sources(const RecordingInput& input) {
  SymbolSources sources;
  if (input.debuginfod) sources.debug.download = download_debug_information;
  sources.symfs = input.symfs;
  sources.vmlinux = input.vmlinux;
  sources.trusts_kallsyms = !input.kallsyms.empty();
  if (sources.trusts_kallsyms) sources.kallsyms = input.kallsyms;
  return sources;
}

Result<std::size_t> named_event(std::string_view name, const perfdata::Description& recording) {
  std::vector<std::string> names;
  for (const perfdata::RecordedEvent& event : recording.events) names.push_back(event.name);
  return named_event(name, names);
}

Result<std::size_t> named_event(std::string_view name, std::span<const std::string> events) {
  if (const auto event = event_of(name, events)) return *event;
  return failure(fmt::format("the recording has no event '{}'", name),
                 fmt::format("it has {}", fmt::join(events, ", ")));
}

}  // namespace tacho
