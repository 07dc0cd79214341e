// Source lines in a build without elfutils: it fails always.
#include "symbols/source_lines.hpp"

namespace tacho::symbols {

Result<std::unique_ptr<SourceLines>> SourceLines::open(const std::string& path,
                                                       const std::vector<std::string>&) {
  return failure(
      "cannot read the source lines of '" + path + "': this tacho was built without elfutils",
      "report by function, or build it with -DTACHO_ELFUTILS=ON");
}

}  // namespace tacho::symbols
