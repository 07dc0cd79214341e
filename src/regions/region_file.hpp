// The file in memory to which the workload's processes append the figures of their regions, for
// --regions.
#pragma once

#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "regions/regions.hpp"

namespace tacho {

class RegionFile {
 public:
  // Processes that are started from now on inherit it.
  static Result<RegionFile> create();

  // The NAME=VALUE by which the library (src/caliper/at_exit.cpp) finds it: descriptor, device,
  // inode.
  const std::string& variable() const { return variable_; }

  // The regions that were appended up to now.
  Result<Regions> read() const;

 private:
  RegionFile(Fd fd, std::string variable) : fd_(std::move(fd)), variable_(std::move(variable)) {}

  Fd fd_;
  std::string variable_;
};

}  // namespace tacho
