// The call trees of recordings of two programs as one tree by names, with the changes of its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "locate/resolver.hpp"
#include "profile/profile.hpp"
#include "profile/sampled_event.hpp"

namespace tacho {

enum class Side : std::uint8_t { before, after };

class ChangeTree {
 public:
  // Adds a recording to a side. Functions are the same if their names are: the files of two builds
  // may have different names. The event must be the chosen one of the recording.
  void add(Side, const Profile&, Resolver&, const SampledEvent& event);

  // The members of a page: names, and the tree with the mean events of each side. If `tested`, also
  // the intervals of the changes of those nodes that have enough samples.
  std::string members(bool tested) const;

 private:
  struct Node {
    std::uint32_t parent = kNoParent;  // has a smaller index
    std::size_t function = 0;
    std::vector<double> own[2] = {}, total[2] = {};  // events, by side and recording
    std::uint64_t samples = 0;                       // with what it called, of all recordings
  };

  std::uint32_t node_of(std::uint32_t parent, std::size_t function);
  std::size_t function_of(const FunctionInfo& info, const std::string& module);
  void pad();
  double whole(Side) const;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> in_order() const;
  std::string known(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& order) const;

  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> numbers_;
  std::map<std::string, std::size_t> functions_, modules_;
  std::vector<std::string> function_names_, module_names_;
  std::vector<std::size_t> module_of_;
  std::size_t recordings_[2] = {0, 0};
  bool clock_ = false;
};

}  // namespace tacho
