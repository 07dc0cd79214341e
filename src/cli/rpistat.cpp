// rpistat: `tacho stat --report rpistat` under its older name, with the options that go with it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/failure.hpp"
#include "cli/stat_options.hpp"
#include "cli/subcommands.hpp"
#include "help/command_line.hpp"
#include "help/help_format.hpp"
#include "help/usage_error.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

constexpr const char* kName = "rpistat";

}  // namespace

bool is_rpistat(std::string_view called) {
  return called.substr(called.rfind('/') + 1) == kName;
}

int run_rpistat(std::span<const std::string> words) {
  StatOptions options;
  options.request.report = kName;
  options.older_name = true;
  CLI::App app("rpistat COMMAND writes what the processor did to rpistat.txt, and to rpistat.data.",
               kName);
  app.formatter(std::make_shared<Help>());
  app.set_version_flag("-V,--version", "rpistat (tacho) " TACHO_VERSION_STRING,
                       "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.footer(
      "rpistat [OPTIONS] [--] COMMAND [ARGUMENTS]      the same as tacho stat --report rpistat");
  declare_of_rows(app, options);
  CommandLine line = split_words(app, words, 0);
  try {
    std::ranges::reverse(line.options);  // as CLI11 wants them
    app.parse(std::move(line.options));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return answer(asked_text(app, error));
    return fail(usage_error(app, error, "see 'rpistat --help'"));
  }
  options.command = std::move(line.command);
  return run_stat(options);
}

}  // namespace tacho
