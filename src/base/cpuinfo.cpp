#include "base/cpuinfo.hpp"

#include <fmt/format.h>

#include "base/file.hpp"

namespace tacho {

std::string cpuinfo_value(std::string_view cpuinfo, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const std::size_t at = cpuinfo.starts_with(key) ? 0 : cpuinfo.find(fmt::format("\n{}", key));
    const std::size_t colon = at == cpuinfo.npos ? at : cpuinfo.find(": ", at);
    if (colon == cpuinfo.npos) continue;
    const std::string_view value = cpuinfo.substr(colon + 2);
    return std::string(value.substr(0, value.find('\n')));
  }
  return {};
}

std::string cpuinfo_text(const std::string& root) {
  constexpr std::size_t kLongest = 64U << 20U;  // bytes: enough for thousands of CPUs
  return read_file(root + "/proc/cpuinfo", kLongest).value_or("");
}

std::string processor_name(const std::string& root) {
  return cpuinfo_value(cpuinfo_text(root), {"model name", "Processor", "Hardware", "cpu model"});
}

}  // namespace tacho
