#include "latency/chase/pieces.hpp"

namespace tacho::chase {

// Each new line goes behind one that is drawn among those there are, as in a List.
void Pieces::add(std::vector<Link*>& cycle, std::size_t piece) {
  for (std::size_t line = piece * each_; line < (piece + 1) * each_; ++line) {
    Link* const added = place_(line);
    Link* const before = cycle.empty() ? added : cycle[draw_.below(cycle.size())];
    if (!cycle.empty()) added->next = before->next;
    before->next = added;
    cycle.push_back(added);
  }
}

Link* Pieces::loop(std::size_t piece) {
  std::vector<Link*> cycle;
  add(cycle, piece);
  return cycle.front();
}

void Pieces::join(std::size_t piece) {
  add(joined_, piece);
}

}  // namespace tacho::chase
