// tacho merge: puts the JSON of 'tacho stat' of many ranks or hosts together.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/failure.hpp"
#include "cli/format_option.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "help/help_format.hpp"
#include "merge/request.hpp"
#include "tacho/version.h"

namespace tacho {

void add_merge(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* merge = program.add_subcommand(
      "merge", "Add up the JSON files of 'tacho stat' of many ranks or hosts");
  merge->footer(kOwnExitStatus);
  auto request = std::make_shared<MergeRequest>();
  merge->add_option("FILE", request->files, "Files that 'tacho stat --json -o FILE' wrote")
      ->required();
  add_format_options(*merge, request->format);
  merge->add_option("-o,--output", request->output, "Write here")->type_name("FILE");
  merge->callback([request, &status] {
    if (const auto done = merge_files(*request, TACHO_VERSION_STRING, notices()); !done)
      status = fail(done.error());
  });
}

}  // namespace tacho
