#include "latency/chase/line_groups.hpp"

namespace tacho::chase {

// Each new line follows one that is drawn among those of the cycle, as in a List.
void LineGroups::add(std::vector<Link*>& cycle, std::size_t group) {
  for (std::size_t line = group * each_; line < (group + 1) * each_; ++line) {
    Link* const added = place_(line);
    Link* const before = cycle.empty() ? added : cycle[draw_.below(cycle.size())];
    if (!cycle.empty()) added->next = before->next;
    before->next = added;
    cycle.push_back(added);
  }
}

Link* LineGroups::cycle_of(std::size_t group) {
  std::vector<Link*> cycle;
  add(cycle, group);
  return cycle.front();
}

void LineGroups::join(std::size_t group) {
  add(joined_, group);
}

}  // namespace tacho::chase
