// Unpacking of xz in a build without elfutils, and so without liblzma: it fails always.
#include "symbols/unpack.hpp"

namespace tacho::symbols {

Result<std::vector<std::byte>> unpack_xz(std::span<const std::byte>) {
  return failure("this tacho was built without liblzma");
}

}  // namespace tacho::symbols
