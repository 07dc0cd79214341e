#include "locate/recording_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdint>
#include <ranges>
#include <utility>

#include "estimate/metrics.hpp"
#include "locate/debuginfod.hpp"

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

}  // namespace

Result<std::unique_ptr<perfdata::Reader>> open_recording(const RecordingInput& input) {
  if (input.debuginfod) TACHO_TRY(need_debuginfod());
  auto reader = perfdata::Reader::open(input.file);
  if (!reader && reader.error().code == ENOENT)
    reader.error().remedy = "'tacho record -- COMMAND' makes perf.data; -i names another recording";
  return reader;
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
  if (const auto event = event_of(name, names)) return *event;
  return failure(fmt::format("the recording has no event '{}'", name),
                 fmt::format("it has {}", fmt::join(names, ", ")));
}

}  // namespace tacho
