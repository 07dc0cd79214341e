#include "cli/failure.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "report/output.hpp"

namespace tacho {

int answer(std::string_view text) {
  const auto written = Output::to_stdout().write(text);
  return written ? 0 : fail(written.error());
}

int exit_status_of_launch(int code) {
  constexpr std::array kCannotRun = {EACCES,  ENOEXEC,      EISDIR, ENOTDIR, ELOOP,
                                     ETXTBSY, ENAMETOOLONG, E2BIG,  ELIBBAD, EINVAL};
  if (code == ENOENT) return 127;
  return std::ranges::find(kCannotRun, code) != kCannotRun.end() ? 126 : kOwnFailure;
}

}  // namespace tacho
