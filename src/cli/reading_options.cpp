#include "cli/reading_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "cli/say.hpp"
#include "report/output.hpp"
#include "report/pager.hpp"

namespace tacho {

void add_recording_file(CLI::App& app, RecordingInput& input) {
  CLI::Option* option =
      app.add_option_function<std::vector<std::string>>(
             "-i,--input",
             [&input](const std::vector<std::string>& files) {
               input.file = files.front();
               input.more.assign(files.begin() + 1, files.end());
             },
             "The recording (perf.data); - is standard input. Several: -i for each piece of one "
             "recording, or a pattern in quotes")
          ->type_name("FILE")
          ->allow_extra_args(false);
  app.add_option("FILE", input.file, "The recording, as with -i")->excludes(option);
}

void add_recording_files(CLI::App& app, std::vector<std::string>& files) {
  CLI::Option* input =
      app.add_option("-i,--input", files,
                     "The recording (perf.data); - is standard input. Several are pieces of one "
                     "recording (perf record --switch-output), or runs with --compare")
          ->type_name("FILE");
  app.add_option("FILE", files, "The recording, as with -i")->excludes(input);
}

void add_recording_options(CLI::App& app, RecordingInput& input) {
  add_recording_file(app, input);
  add_symbol_options(app, input);
}

void add_symbol_options(CLI::App& app, RecordingInput& input) {
  app.add_option("-e,--event", input.event,
                 "The event whose samples are shown, if there are several")
      ->type_name("EVENT");
  add_symbol_places(app, input);
  add_choice_options(app, input);
}

void add_symbol_places(CLI::App& app, RecordingInput& input) {
  app.add_option("--symfs", input.symfs, "Look for the recorded files below this directory")
      ->type_name("DIR");
  app.add_option("--kallsyms", input.kallsyms,
                 "A copy of /proc/kallsyms, or System.map, of the recorded kernel")
      ->type_name("FILE");
  app.add_option("--vmlinux", input.vmlinux, "The recorded kernel as an ELF file, with symbols")
      ->type_name("FILE");
  app.add_flag("--debuginfod", input.debuginfod,
               "Download missing debug information with debuginfod-find");
}

void add_choice_options(CLI::App& app, RecordingInput& input) {
  for (const ChoiceOption& option : choice_options())
    app.add_option_function<std::vector<std::string>>(
           option.names,
           [&input, &option](const std::vector<std::string>& values) {
             for (const std::string& value : values)
               if (const auto taken = option.take(value, input.choice); !taken)
                 throw CLI::ValidationError(taken.error().what +
                                            (taken.error().remedy.empty() ? "" : "; ") +
                                            taken.error().remedy);
           },
           option.description)
        ->type_name(option.type)
        ->allow_extra_args(false);
}

void add_full_names(CLI::App& app, bool& full_names) {
  app.add_flag("--full-names", full_names, "Do not cut lines at the width of the terminal");
}

void say_chosen(const std::optional<ChosenSamples>& chosen) {
  if (chosen)
    say_line(fmt::format("{} of {} were chosen: {}", chosen->samples,
                         plural(chosen->all, "sample", {}), chosen->words));
}

Result<void> deliver(const std::string& report, const std::string& file, ReportKind kind) {
  if (file.empty() && kind == ReportKind::text) return show(report);
  Result<Output> output = file.empty() ? Output::to_stdout() : Output::to_file(file);
  if (!output) return std::unexpected(output.error());
  return kind == ReportKind::binary ? output->write_bytes(report) : output->write(report);
}

Result<void> deliver(const TextWriter& write, const std::string& file) {
  Output output = TACHO_TRY(file.empty() ? Output::to_stdout() : Output::to_file(file));
  Result<void> result;
  write([&](std::string_view piece) {
    if (result) result = output.write(piece);
  });
  return result;
}

}  // namespace tacho
