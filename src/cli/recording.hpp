// What tacho report and tacho annotate share: a recording read into a profile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "locate/resolver.hpp"
#include "perfdata/reader.hpp"
#include "profile/profile.hpp"

namespace CLI {
class App;
}

namespace tacho {

struct RecordingOptions {
  std::string input = "perf.data";
  std::string event;
  std::string symfs;
  bool debuginfod = false;
};
void add_recording_options(CLI::App& app, RecordingOptions& options);

// All of a recording. What could not be read is a warning, if there is something before it.
struct Recording {
  std::unique_ptr<perfdata::Reader> reader;  // for its description
  Profile profile;
  std::vector<std::string> warnings;
  std::size_t event = 0;  // the chosen one

  const perfdata::Description& description() const { return reader->description(); }
};

Result<std::unique_ptr<perfdata::Reader>> open_recording(const RecordingOptions&);

// What a reader yields, to its end or to the damage that ends it. Warnings say what makes it
// doubtful, and name the damage.
struct ReadThrough {
  std::optional<Error> damage;
  std::vector<std::string> warnings;
};
ReadThrough read_through(perfdata::Reader&,
                         const std::function<void(const perfdata::Record&)>& visit);

// Errors: the file is no recording, has no samples, or no such event. Damage without any sample
// before it is an error, too. `over_time`: the profile is to keep each sample with its time.
Result<Recording> read_recording(const RecordingOptions& options, bool over_time = false);

// Where names come from, as the options say.
SymbolSources symbol_sources(const RecordingOptions& options);

// Says what makes the recording, its event's profile and the names in it doubtful.
void say_warnings(const Recording& recording, const Resolver& resolver);

// An error where the output is the very recording that is read, by its name or as standard input.
Result<void> keep_recording(const std::string& input, const std::string& output);

// A result to the file, or to standard output where `file` is empty: there `pages` shows it to a
// reader page by page.
Result<void> deliver(const std::string& text, const std::string& file, bool pages);

}  // namespace tacho
