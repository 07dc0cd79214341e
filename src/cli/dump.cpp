// `tacho dump` prints the samples or the records of a recording one by one.
#include "dump/dump.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/reading_options.hpp"
#include "cli/reading_subcommand.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "locate/named_recordings.hpp"

namespace tacho {
namespace {

struct DumpCommand {
  RecordingInput recording;
  DumpOptions dump;
  std::string fields, output;
  bool nanoseconds = false, no_chains = false;
};

Result<void> run_dump(const DumpCommand& command) {
  TACHO_TRY(keep_recording(command.recording.file, command.output));
  if (command.dump.raw && !command.recording.choice.is_everything())
    return failure("--raw prints every record, not only those of some samples",
                   "leave out --raw, or the options that choose samples");
  DumpOptions options = command.dump;
  options.samples.fields = TACHO_TRY(parse_dump_fields(command.fields));
  options.samples.chains = !command.no_chains;
  if (command.nanoseconds) options.samples.unit = TimeUnit::nanoseconds;
  Output output = TACHO_TRY(Output::to_file(command.output.empty() ? "-" : command.output));
  std::vector<std::string> warnings;
  const auto done = dump(command.recording, options, output, warnings);
  say_warnings(warnings);
  return done;
}

void add_dump_options(CLI::App* dump, const std::shared_ptr<DumpCommand>& command) {
  SampleDumpOptions& samples = command->dump.samples;
  add_recording_file(*dump, command->recording);
  CLI::Option* fields =
      dump->add_option("-F,--fields", command->fields,
                       "The fields of a sample, by perf script's names: comm,ip,sym. "
                       "+NAME and -NAME change the default ones")
          ->type_name("NAMES");
  CLI::Option* events =
      dump->add_option("-e,--event", samples.events, "The samples of this event only; repeatable")
          ->type_name("EVENT")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* no_chains = dump->add_flag("-G,--hide-call-graph", command->no_chains,
                                          "One line a sample, without its call chain");
  CLI::Option* inlined =
      dump->add_flag("--inline", samples.inlined, "Inlined functions in call chains, too");
  CLI::Option* nanoseconds = dump->add_flag("--ns", command->nanoseconds, "Times in nanoseconds");
  dump->add_flag("--json", samples.json, "A line of JSON for each sample or record");
  dump->add_flag("--raw", command->dump.raw,
                 "Every record as it is in the recording, with its offset, size and fields")
      ->excludes(fields)
      ->excludes(events)
      ->excludes(no_chains)
      ->excludes(inlined)
      ->excludes(nanoseconds);
  dump->add_flag("--header", command->dump.header,
                 "First, what the recording says about itself and its machine");
  add_symbol_places(*dump, command->recording);
  add_choice_options(*dump, command->recording);
  dump->add_option("-o,--output", command->output, "Write here")->type_name("FILE");
}

}  // namespace

void add_dump(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  add_reading<DumpCommand>(program, "dump",
                           "Print the samples of a recording one by one, as perf script does",
                           status, add_dump_options, run_dump);
}

}  // namespace tacho
