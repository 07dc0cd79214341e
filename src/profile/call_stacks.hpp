// The tree of calls as the exports walk it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/report.hpp"

namespace tacho {

class CallStacks {
 public:
  explicit CallStacks(const ProfileExport& in);

  // The nodes with samples of the event, in the order in which they were first seen.
  std::vector<std::size_t> leaves(std::size_t event) const;
  // The cells from the outermost caller to a node's own.
  std::vector<std::uint32_t> path(std::size_t node) const;

  // A function of each cell; a module in brackets where its name is not known.
  FunctionId function(std::uint32_t cell) const { return functions_[cell]; }
  const std::string& name(std::uint32_t cell) const { return names_[functions_[cell]]; }
  const std::vector<std::string>& names() const { return names_; }  // by FunctionId

 private:
  const Profile& profile_;
  std::vector<FunctionId> functions_;
  std::vector<std::string> names_;
};

}  // namespace tacho
