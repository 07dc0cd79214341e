#include "locate/source_text.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <sstream>

#include "base/regular_file.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLongestSource = 16 << 20;  // bytes

}  // namespace

std::string SourceText::line(const std::string& file, unsigned number) {
  const auto [found, fresh] = files_.try_emplace(file);
  if (fresh) found->second = read(file);
  return number > 0 && number <= found->second.size() ? found->second[number - 1] : std::string();
}

std::vector<std::string> SourceText::read(const std::string& file) {
  const auto text = read_regular_file(file, kLongestSource);
  std::vector<std::string> lines;
  if (!text) {
    warnings_.push_back("no source text: " + text.error().what);
    return lines;
  }
  struct stat source{};
  struct stat program{};
  if (::stat(file.c_str(), &source) == 0 && ::stat(path_.c_str(), &program) == 0 &&
      source.st_mtime > program.st_mtime)
    warnings_.push_back(
        fmt::format("'{}' was changed after {} was built: its text may not be the compiled one",
                    file, module_));
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace tacho
