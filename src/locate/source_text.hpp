// Reads lines of a program's source files, if this machine has them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tacho {

class SourceText {
 public:
  // For the program at `path`; warnings name it `module`.
  SourceText(std::string path, std::string module)
      : path_(std::move(path)), module_(std::move(module)) {}

  // Returns an empty text if the file can't be read or does not have the line.
  std::string line(const std::string& file, unsigned number);

  // About files that can't be read, or that were changed after the program was built.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> read(const std::string& file);

  std::string path_, module_;
  std::map<std::string, std::vector<std::string>> files_;
  std::vector<std::string> warnings_;
};

}  // namespace tacho
