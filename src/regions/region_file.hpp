// The file in memory to which the workload's processes append the figures of their regions, for
// --regions.
#pragma once

#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "regions/regions.hpp"

namespace tacho {

class RegionFile {
 public:
  // Processes that are started from now on inherit it.
  static Result<RegionFile> create();

  // The variables, as NAME=VALUE, by which the library (src/caliper/at_exit.cpp) finds it: the
  // descriptor with device and inode, and a path for processes whose descriptors a launcher closed.
  const std::vector<std::string>& variables() const { return variables_; }

  // The regions that were appended up to now.
  Result<Regions> read() const;

 private:
  RegionFile(Fd fd, std::vector<std::string> variables)
      : fd_(std::move(fd)), variables_(std::move(variables)) {}

  Fd fd_;
  std::vector<std::string> variables_;
};

}  // namespace tacho
