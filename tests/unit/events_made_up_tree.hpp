// A made-up sysfs or tracefs in a temporary directory, which the destructor removes.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "events/catalogue.hpp"

namespace tacho {

class MadeUpTree {
 public:
  MadeUpTree() {
    std::string name = (std::filesystem::temp_directory_path() / "tacho-tree-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "cannot make a temporary directory";
    path_ = name;
  }
  ~MadeUpTree() { std::filesystem::remove_all(path_); }
  MadeUpTree(const MadeUpTree&) = delete;
  MadeUpTree& operator=(const MadeUpTree&) = delete;

  std::string path(std::string_view below = {}) const { return (path_ / below).string(); }

  void write(std::string_view file, std::string_view text) const {
    const std::filesystem::path whole = path_ / file;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }

  // A catalogue of this tree's sysfs/ and tracefs/ instead of the machine's.
  Catalogue catalogue() const { return Catalogue({path("sysfs"), {path("tracefs")}}); }

 private:
  std::filesystem::path path_;
};

}  // namespace tacho
