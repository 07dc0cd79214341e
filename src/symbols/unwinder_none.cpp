// The unwinder of a build without elfutils: create() fails always.
#include "symbols/unwinder.hpp"

namespace tacho::symbols {

Result<std::unique_ptr<Unwinder>> Unwinder::create(const std::string&) {
  return failure("stacks can't be unwound: this tacho was built without elfutils",
                 "build it with -DTACHO_ELFUTILS=ON");
}

}  // namespace tacho::symbols
