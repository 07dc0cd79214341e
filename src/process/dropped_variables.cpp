#include "process/dropped_variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/privileges.hpp"

namespace tacho {
namespace {

// The memory of this program in which the kernel put the environment: fields 50 and 51 of
// proc(5)'s stat. libc removes the pointers to variables, but their texts stay. Other ways to them
// are closed: /proc/self/environ belongs to root if the program has privileges.
std::span<char> first_environment() {
  constexpr int kFirstAfterName = 3, kStart = 50, kEnd = 51;
  const std::string stat = read_file("/proc/self/stat").value_or("");
  const std::size_t name_end = stat.rfind(") ");  // a name may contain anything
  if (name_end == stat.npos) return {};
  std::uintptr_t start = 0, end = 0;
  int field = kFirstAfterName;
  for (const auto part : std::views::split(std::string_view(stat).substr(name_end + 2), ' ')) {
    std::uintptr_t* const value = field == kStart ? &start : field == kEnd ? &end : nullptr;
    if (value != nullptr) std::from_chars(&*part.begin(), &*part.begin() + part.size(), *value);
    ++field;
  }
  if (start == 0 || end <= start) return {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives the address as a number
  return {reinterpret_cast<char*>(start), end - start};
}

bool is_kept(const char* variable) {
  for (char** each = environ; each != nullptr && *each != nullptr; ++each)
    if (*each == variable) return true;
  return false;
}

}  // namespace

std::vector<char*> dropped_variables() {
  std::vector<char*> dropped;
  if (!has_privileges()) return dropped;
  std::span<char> left = first_environment();
  while (!left.empty()) {
    const std::size_t size = ::strnlen(left.data(), left.size());
    if (size == left.size()) break;  // no end: it is no text
    if (size > 0 && std::string_view(left.data(), size).contains('=') && !is_kept(left.data()))
      dropped.push_back(left.data());
    left = left.subspan(size + 1);
  }
  return dropped;
}

}  // namespace tacho
