// The lines of a program's sources, where they are here.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tacho {

class SourceText {
 public:
  // Of the program at `path`, which warnings call `module`.
  SourceText(std::string path, std::string module)
      : path_(std::move(path)), module_(std::move(module)) {}

  // Empty when the file can't be read or has no such line.
  std::string line(const std::string& file, unsigned number);

  // Of files that can't be read, or were changed since the program was built.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> read(const std::string& file);

  std::string path_, module_;
  std::map<std::string, std::vector<std::string>> files_;
  std::vector<std::string> warnings_;
};

}  // namespace tacho
