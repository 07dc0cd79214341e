#include "profile/inclusive_counts.hpp"

namespace tacho {
namespace {

// Chains lack functions of user mode, where the kernel calls nothing.
std::vector<bool> rows_of_kernel(const Profile& profile, std::span<const std::size_t> row_of,
                                 std::size_t rows) {
  std::vector<bool> in_kernel(rows);
  for (std::size_t cell = 0; cell < row_of.size(); ++cell) {
    const ModuleKind kind = profile.modules()[profile.cells()[cell].module].kind;
    in_kernel[row_of[cell]] = kind == ModuleKind::kernel || kind == ModuleKind::hidden_kernel;
  }
  return in_kernel;
}

}  // namespace

std::vector<InclusiveCount> inclusive_counts(const Profile& profile,
                                             std::span<const std::size_t> row_of, std::size_t rows,
                                             std::size_t event) {
  std::vector<InclusiveCount> counts(rows);
  std::vector<SampleCount> incomplete(rows);  // of those that have the row in their chains
  std::vector<std::size_t> last_seen(
      rows);  // the node, counted from 1, that last counted for the row
  const std::vector<CallNode>& nodes = profile.nodes();
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const SampleCount count = profile.count_at_node(event, node);
    if (count.samples == 0) continue;
    const SampleCount incomplete_here = profile.incomplete_at_node(event, node);
    for (std::size_t at = node; at != kNoParent; at = nodes[at].parent) {
      const std::size_t row = row_of[nodes[at].cell];
      if (last_seen[row] == node + 1) continue;
      last_seen[row] = node + 1;
      counts[row].seen += count;
      incomplete[row] += incomplete_here;
    }
  }
  const std::vector<bool> in_kernel = rows_of_kernel(profile, row_of, rows);
  const SampleCount all = profile.incomplete(event);
  for (std::size_t row = 0; row < rows; ++row) {
    if (in_kernel[row] || incomplete[row].samples == all.samples) continue;
    counts[row].perhaps = all;
    counts[row].perhaps -= incomplete[row];
  }
  return counts;
}

}  // namespace tacho
