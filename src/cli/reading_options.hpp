// What the subcommands that read a recording share: its options, and where their reports go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "locate/recording_input.hpp"
#include "report/text_sink.hpp"

namespace CLI {
class App;
}

namespace tacho {

void add_recording_options(CLI::App& app, RecordingInput& input);
// The same without the option of the recording's name.
void add_symbol_options(CLI::App& app, RecordingInput& input);

// The names of recordings: pieces of one, or, with --compare, of several runs.
void add_recording_files(CLI::App& app, std::vector<std::string>& files);
// The parts of add_recording_options(): the recording, where names come from, and which samples are
// wanted.
void add_recording_file(CLI::App& app, RecordingInput& input);
void add_symbol_places(CLI::App& app, RecordingInput& input);
void add_choice_options(CLI::App& app, RecordingInput& input);

// --full-names
void add_full_names(CLI::App& app, bool& full_names);

// Says on stderr of which samples a report is, if the user chose some.
void say_chosen(const std::optional<ChosenSamples>&);

// Writes a report to the file, or to standard output if `file` is empty. Text goes there through
// the pager. A binary report is written as it is.
enum class ReportKind : std::uint8_t { text, data, binary };
Result<void> deliver(const std::string& report, const std::string& file, ReportKind kind);
// The same for data that are written piece by piece.
Result<void> deliver(const TextWriter& write, const std::string& file);

}  // namespace tacho
