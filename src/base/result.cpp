#include "base/result.hpp"

#include <cstring>

namespace tacho {

Error os_error(std::string_view what, int code, std::string_view remedy) {
  const char* name = strerrorname_np(code);
  const char* meaning = strerrordesc_np(code);
  std::string text(what);
  text += ": ";
  text += meaning != nullptr ? meaning : "unknown error";
  text += " (";
  text += name != nullptr ? std::string(name) : std::to_string(code);
  text += ")";
  return Error{std::move(text), std::string(remedy), code};
}

}  // namespace tacho
