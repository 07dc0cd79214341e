// Call chains as "outermost;…;innermost count", a line each. The count is what the samples stand
// for: where events are rare, one stands for many.
#include <fmt/format.h>

#include <map>

#include "base/text_layout.hpp"
#include "profile/call_stacks.hpp"
#include "profile/report.hpp"

namespace tacho {

std::string profile_folded(const ProfileExport& in) {
  const CallStacks stacks(in);
  std::map<std::string, std::uint64_t> lines;  // places of one function are one line
  for (const std::size_t node : stacks.leaves(in.event)) {
    std::string line;
    for (const std::uint32_t cell : stacks.path(node)) {
      // What separates frames can't stand in a name.
      std::string name = printable(stacks.name(cell), 1000);
      for (char& c : name)
        if (c == ';') c = ':';
      if (!line.empty()) line += ';';
      line += name;
    }
    lines[line] += in.profile.count_at_node(in.event, node).sum;
  }
  std::string text;
  for (const auto& [line, count] : lines) text += fmt::format("{} {}\n", line, count);
  return text;
}

}  // namespace tacho
