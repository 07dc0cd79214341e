#include "base/result.hpp"

#include <array>
#include <cerrno>
#include <cstring>

namespace tacho {

std::string errno_name(int code) {
  const char* name = strerrorname_np(code);
  return name != nullptr ? std::string(name) : std::to_string(code);
}

namespace {

struct Remedy {
  int code;
  std::string_view text;
};

// What helps against an errno, whatever failed.
constexpr std::array<Remedy, 7> kUsual = {{
    {ENOSPC, "make room on the disk, or use another one"},
    {EDQUOT, "make room in your quota (quota -s shows it), or use another disk"},
    {EFBIG, "raise the limit of a file's size (ulimit -f), or use another file system"},
    {EMFILE, "raise 'ulimit -n'"},
    {ENFILE, "end programs that hold many files open, or raise the sysctl fs.file-max"},
    {ENOMEM, "end other programs, or raise the memory limit (ulimit -v, or that of the container)"},
    {EIO, "try again; if it fails again, look for errors of the disk (dmesg)"},
}};

std::string_view usual_remedy(int code) {
  for (const Remedy& each : kUsual)
    if (each.code == code) return each.text;
  return {};
}

}  // namespace

Error os_error(std::string_view what, int code, std::string_view remedy) {
  const char* meaning = strerrordesc_np(code);
  std::string text(what);
  text += ": ";
  text += meaning != nullptr ? meaning : "unknown error";
  text += " (";
  text += errno_name(code);
  text += ")";
  return Error{std::move(text), std::string(remedy.empty() ? usual_remedy(code) : remedy), code};
}

}  // namespace tacho
