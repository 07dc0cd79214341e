// Writes call chains as lines "outermost;…;innermost count". The count is the number of events that
// the samples stand for.
#include <fmt/format.h>

#include <map>

#include "base/text_layout.hpp"
#include "profile/call_stacks.hpp"
#include "profile/report.hpp"

namespace tacho {

std::string profile_folded(const ProfileExport& in) {
  const CallStacks stacks(in);
  std::map<std::string, std::uint64_t> lines;  // several places of one function are one line
  for (const std::size_t node : stacks.leaves(in.event)) {
    std::string line;
    for (const std::uint32_t cell : stacks.path(node)) {
      // A semicolon separates frames, so a name cannot contain one.
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
