#include "base/result.hpp"

#include <cstring>

namespace tacho {

std::string errno_name(int code) {
  const char* name = strerrorname_np(code);
  return name != nullptr ? std::string(name) : std::to_string(code);
}

Error os_error(std::string_view what, int code, std::string_view remedy) {
  const char* meaning = strerrordesc_np(code);
  std::string text(what);
  text += ": ";
  text += meaning != nullptr ? meaning : "unknown error";
  text += " (";
  text += errno_name(code);
  text += ")";
  return Error{std::move(text), std::string(remedy), code};
}

}  // namespace tacho
