#include "cli/reading_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "cli/pager.hpp"
#include "report/output.hpp"

namespace tacho {

void add_recording_options(CLI::App& app, RecordingInput& input) {
  app.add_option("-i,--input", input.file, "The recording (perf.data); - is standard input")
      ->type_name("FILE");
  add_symbol_options(app, input);
}

void add_symbol_options(CLI::App& app, RecordingInput& input) {
  app.add_option("-e,--event", input.event,
                 "The event whose samples are shown, if there are several")
      ->type_name("EVENT");
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

Result<void> keep_recording(const std::string& input, const std::string& output) {
  std::error_code none;
  const std::string read = input == "-" ? "/dev/stdin" : input;
  if (output.empty() || !std::filesystem::equivalent(read, output, none)) return {};
  return failure(fmt::format("'{}' is the recording that is read: it would be overwritten", output),
                 "give another file with -o");
}

Result<void> deliver(const std::string& report, const std::string& file, ReportKind kind) {
  if (file.empty())
    return kind == ReportKind::text ? show(report) : Output::to_stdout().write(report);
  auto output = Output::to_file(file);
  return output ? output->write(report) : std::unexpected(output.error());
}

}  // namespace tacho
