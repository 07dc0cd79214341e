// Recognizes the functions that a user means among those that a JIT compiler names.
#pragma once

#include <string_view>

namespace tacho::symbols {

// Whether `asked` is the name of the function in a compiler's description of it, which also has its
// kind, its types or its place: hotLoop in "JS:*hotLoop /app/sum.js:1:17", Hot.hotLoop or hotLoop
// in "int Hot.hotLoop(int)".
bool is_compiled_name(std::string_view described, std::string_view asked);

}  // namespace tacho::symbols
