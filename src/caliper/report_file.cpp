// The formats by name, and the file that several processes may append to.
#include "caliper/report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/fd.hpp"
#include "base/file.hpp"

namespace tacho::caliper {
namespace {

struct Format {
  std::string_view name;
  std::string (*make)(const ProcessReport&);
};
constexpr std::array kFormats = {
    Format{"text",
           [](const ProcessReport& r) { return to_text(r.figures, r.left_open_by, &r.switched); }},
    Format{"json", [](const ProcessReport& r) { return to_json(r); }},
    Format{"csv", [](const ProcessReport& r) { return to_csv(r.figures); }}};

}  // namespace

std::string describe(const TickClock& clock) {
  const double step = tick_step();
  return to_string(clock) + (step > 1 ? fmt::format(", in steps of {:.0f} ticks", step) : "");
}

Result<void> check_format(std::string_view format) {
  if (std::ranges::find(kFormats, format, &Format::name) != kFormats.end()) return {};
  return failure(fmt::format("no report format '{}'", format), "use text, json or csv", EINVAL);
}

Result<void> write_report(const ProcessReport& report, std::string_view format, const char* path) {
  if (const auto known = check_format(format); !known) return known;
  const auto* const found = std::ranges::find(kFormats, format, &Format::name);
  std::string text = found->make(report);
  if (path == nullptr) return write_all(STDERR_FILENO, text, "standard error");
  constexpr mode_t kMode = 0666;
  const Fd file(::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode));
  if (!file) return os_failure(fmt::format("cannot open '{}'", path), errno);
  // Only the first process writes the header.
  struct stat there{};
  if (format == "csv" && ::fstat(file.get(), &there) == 0 && there.st_size > 0)
    text.erase(0, text.find('\n') + 1);
  return write_all(file.get(), text, path);
}

}  // namespace tacho::caliper
