// Files without a name, in $TMPDIR or /tmp, which are gone when they are closed.
#pragma once

#include "base/fd.hpp"
#include "base/result.hpp"
#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

// Error: no file can be made there.
Result<Fd> nameless_file();

// Error: there is no room for all of it.
Result<void> append(const Fd& file, Bytes bytes);

// What comes from standard input until its end. Errors: as above, or it can't be read.
Result<Fd> copy_of_standard_input();

}  // namespace tacho::perfdata
