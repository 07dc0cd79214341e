// The call chains of a profile with the names of their functions, for the export formats.
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

  // Nodes that have samples of the event, in the order in which they were first seen.
  const std::vector<std::size_t>& leaves(std::size_t event) const;
  // The cells from the outermost caller to the node itself.
  std::vector<std::uint32_t> path(std::size_t node) const;

  // The function of a cell. If its name is not known, it is the module in brackets.
  FunctionId function(std::uint32_t cell) const { return functions_[cell]; }
  const std::string& name(std::uint32_t cell) const { return names_[functions_[cell]]; }
  const std::vector<std::string>& names() const { return names_; }  // by FunctionId

 private:
  const Profile& profile_;
  std::vector<std::vector<std::size_t>> leaves_;  // by event
  std::vector<FunctionId> functions_;
  std::vector<std::string> names_;
};

}  // namespace tacho
