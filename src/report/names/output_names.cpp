#include "report/names/output_names.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "caliper/process_place.hpp"

namespace tacho {
namespace {

constexpr const char* kPlaceholders =
    "%h is the host, %p the process, %r the rank, %q{NAME} an environment variable, and %% a %";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The value of q{NAME}, which `rest` begins with; `used` gets its length.
Result<std::string> variable(std::string_view rest, std::string_view whole, std::size_t& used) {
  const std::size_t end = rest.find('}');
  if (!rest.starts_with("q{") || end == rest.npos)
    return failure(fmt::format("'{}' has a %q without {{NAME}}", whole), kPlaceholders);
  const std::string name(rest.substr(2, end - 2));
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr)
    return failure(
        fmt::format("'{}' needs the environment variable '{}', which is not set", whole, name),
        "launch tacho with the launcher that sets it, or name another one");
  used = end + 1;
  return value;
}

}  // namespace

Result<std::string> filled_in_name(std::string_view name) {
  std::string filled;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char kind = name[i] == '%' && i + 1 < name.size() ? name[i + 1] : '\0';
    if (kind != '%' && !is_letter(kind)) {
      filled += name[i];
      continue;
    }
    std::size_t used = 1;
    switch (kind) {
      case '%':
        filled += '%';
        break;
      case 'h':
        filled += caliper::place_of_process().host;
        break;
      case 'p':
        filled += std::to_string(::getpid());
        break;
      case 'r': {
        const std::string rank = caliper::place_of_process().rank;
        filled += rank.empty() ? "none" : rank;
        break;
      }
      case 'q':
        filled += TACHO_TRY(variable(name.substr(i + 1), name, used));
        break;
      default:
        return failure(fmt::format("'{}' has %{}, which has no meaning", name, kind),
                       kPlaceholders);
    }
    i += used;
  }
  return filled;
}

}  // namespace tacho
