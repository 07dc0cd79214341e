#include "base/own_program.hpp"

#include <sys/auxv.h>

#include <sstream>
#include <system_error>
#include <utility>

#include "base/file.hpp"

namespace tacho {

std::filesystem::path own_program() {
  std::error_code error;
  if (auto path = std::filesystem::read_symlink("/proc/self/exe", error); !error) return path;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes the pointer as a number
  const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (name == nullptr) return {};
  auto path = std::filesystem::canonical(name, error);
  return error ? std::filesystem::path() : path;
}

// The kernel ends each word with a zero byte.
std::vector<std::string> own_command_line() {
  std::vector<std::string> words;
  std::istringstream text(read_file("/proc/self/cmdline").value_or(""));
  for (std::string word; std::getline(text, word, '\0');) words.push_back(std::move(word));
  return words;
}

}  // namespace tacho
