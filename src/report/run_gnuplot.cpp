#include "report/run_gnuplot.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>

#include "base/program_files.hpp"
#include "base/written_file.hpp"
#include "process/run_with_input.hpp"
#include "report/output.hpp"

namespace tacho {
namespace {

constexpr const char* kGnuplot = "gnuplot";

}  // namespace

Result<void> need_gnuplot(const std::string& picture, std::string_view instead) {
  if (find_helper(kGnuplot)) return {};
  return failure(fmt::format("cannot draw '{}': gnuplot is not installed", picture),
                 fmt::format("install it (Debian: gnuplot-nox), or {}", instead), ENOENT);
}

Result<void> run_gnuplot(const std::string& script, const std::string& picture,
                         std::string_view remedy) {
  if (is_of_another_user(picture)) {  // gnuplot writes into what it finds there
    Output file = TACHO_TRY(Output::to_file(picture));
    TACHO_TRY(file.write({}));
  }
  const std::array<std::string, 3> command = {kGnuplot, "-d", "-"};
  const auto drawn = run_with_input(command, script);
  if (drawn) return {};
  return failure(fmt::format("cannot draw '{}': {}", picture, drawn.error().what),
                 std::string(remedy));
}

}  // namespace tacho
