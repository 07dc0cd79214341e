#include "cli/recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <ranges>

#include "cli/pager.hpp"
#include "cli/say.hpp"
#include "process/command.hpp"
#include "process/run_for_output.hpp"
#include "profile/summary.hpp"
#include "report/output.hpp"

namespace tacho {
namespace {

// What the reader met and did not yield, as far as it makes a profile doubtful.
std::vector<std::string> warnings_of(const perfdata::Tally& tally) {
  std::vector<std::string> warnings;
  const auto say = [&](std::uint64_t count, std::string_view one, std::string_view several) {
    if (count > 0) warnings.push_back(fmt::format("{} {}", count, count == 1 ? one : several));
  };
  say(tally.damaged_features, "part of what the recording tells of itself is damaged",
      "parts of what the recording tells of itself are damaged");
  say(tally.unparsed, "record runs past its end and is left out",
      "records run past their end and are left out");
  say(tally.no_event, "sample belongs to no event of the recording and is left out",
      "samples belong to no event of the recording and are left out");
  say(tally.out_of_order, "record came too late to be put in the order of time",
      "records came too late to be put in the order of time");
  std::uint64_t unknown = 0;
  for (const auto& [type, count] : tally.unknown) unknown += count;
  const std::string types =
      fmt::format("{}", fmt::join(tally.unknown | std::views::keys, ", "));  // PERF_RECORD_*
  say(unknown, fmt::format("record of a type that tacho does not know is left out ({})", types),
      fmt::format("records of types that tacho does not know are left out ({})", types));
  return warnings;
}

constexpr const char* kDebuginfod = "debuginfod-find";

Result<void> need_debuginfod() {
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  if (servers == nullptr || *servers == '\0')
    return failure("nothing can be downloaded: DEBUGINFOD_URLS names no server",
                   "export DEBUGINFOD_URLS=ADDRESS, or leave out --debuginfod");
  if (can_run(kDebuginfod)) return {};
  return failure(fmt::format("nothing can be downloaded: {} is not installed", kDebuginfod),
                 "install it (Debian: debuginfod), or leave out --debuginfod", ENOENT);
}

// It prints the path in its cache. How long servers may take is its own to say
// ($DEBUGINFOD_TIMEOUT); here an end is set to what hangs.
std::optional<std::string> download(const std::string& build_id) {
  constexpr std::size_t kLongestPath = 1 << 16;
  const std::array<std::string, 3> command = {kDebuginfod, "debuginfo", build_id};
  auto path = run_for_output(command, {}, std::chrono::hours(1), kLongestPath);
  if (!path) return std::nullopt;
  while (path->ends_with('\n')) path->pop_back();
  return std::move(*path);
}

}  // namespace

void add_recording_options(CLI::App& app, RecordingOptions& options) {
  app.add_option("-i,--input", options.input, "The recording (perf.data); - is standard input")
      ->type_name("FILE");
  app.add_option("-e,--event", options.event, "Of several events, the one whose samples are shown")
      ->type_name("EVENT");
  app.add_option("--symfs", options.symfs, "Look for the recorded files below this directory")
      ->type_name("DIR");
  app.add_flag("--debuginfod", options.debuginfod,
               "Download missing debug information with debuginfod-find");
}

SymbolSources symbol_sources(const RecordingOptions& options) {
  SymbolSources sources;
  if (options.debuginfod) sources.debug.download = download;
  sources.symfs = options.symfs;
  return sources;
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
    read.warnings.push_back(
        fmt::format("the recording is damaged, and what follows is of the samples before: {}",
                    read.damage->what));
  if (reader.description().unfinished)
    read.warnings.emplace_back(
        "the recorder was stopped before it completed the file: what it wrote until then is shown");
  for (std::string& warning : warnings_of(reader.tally()))
    read.warnings.push_back(std::move(warning));
  return read;
}

Result<std::unique_ptr<perfdata::Reader>> open_recording(const RecordingOptions& options) {
  if (options.debuginfod)
    if (auto there = need_debuginfod(); !there) return std::unexpected(there.error());
  auto reader = perfdata::Reader::open(options.input);
  if (!reader && reader.error().code == ENOENT)
    reader.error().remedy = "'tacho record -- COMMAND' makes perf.data; -i names another recording";
  return reader;
}

Result<Recording> read_recording(const RecordingOptions& options, bool over_time) {
  auto reader = open_recording(options);
  if (!reader) return std::unexpected(reader.error());
  Recording recording{std::move(*reader), Profile(symbol_sources(options)), {}, 0};
  if (over_time) recording.profile.keep_samples();
  ReadThrough read = read_through(*recording.reader, [&](const perfdata::Record& record) {
    recording.profile.add(record, recording.description());
  });
  recording.profile.finish(recording.description());
  auto event = choose_event(options.event, recording.profile, recording.description());
  if (!event) return std::unexpected(read.damage ? *read.damage : event.error());
  recording.event = *event;
  recording.warnings = std::move(read.warnings);
  return recording;
}

void say_warnings(const Recording& recording, const Resolver& resolver) {
  for (const auto& warnings :
       {recording.warnings, recording_warnings(recording.profile, recording.event),
        resolver.warnings()})
    for (const std::string& warning : warnings) say_warning(warning);
}

Result<void> keep_recording(const std::string& input, const std::string& output) {
  std::error_code none;
  const std::string read = input == "-" ? "/dev/stdin" : input;
  if (output.empty() || !std::filesystem::equivalent(read, output, none)) return {};
  return failure(fmt::format("'{}' is the recording that is read: it would be lost", output),
                 "give another file with -o");
}

Result<void> deliver(const std::string& text, const std::string& file, bool pages) {
  if (file.empty()) return pages ? show(text) : Output::to_stdout().write(text);
  auto output = Output::to_file(file);
  return output ? output->write(text) : std::unexpected(output.error());
}

}  // namespace tacho
