// The decompressors of a build without zlib and liblzma. expander.cpp has those with them.
#include "perfdata/expander.hpp"

namespace tacho::perfdata {

Result<void> expand_gzip(Input&, const Sink&) {
  return failure("this tacho was built without zlib", "decompress it with gunzip first");
}
Result<void> expand_xz(Input&, const Sink&) {
  return failure("this tacho was built without liblzma", "decompress it with unxz first");
}

}  // namespace tacho::perfdata
