// --regions: the file in memory to which the command's processes append what their regions
// measured.
#pragma once

#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "regions/regions.hpp"

namespace tacho {

class RegionFile {
 public:
  // What is started from now on inherits it.
  static Result<RegionFile> create();

  // The NAME=VALUE by which the library (src/caliper/at_exit.cpp) finds it: descriptor, device,
  // inode.
  const std::string& variable() const { return variable_; }

  // What has been told up to now.
  Result<Regions> read() const;

 private:
  RegionFile(Fd fd, std::string variable) : fd_(std::move(fd)), variable_(std::move(variable)) {}

  Fd fd_;
  std::string variable_;
};

}  // namespace tacho
