// A name from a recording or a program in the two forms in which tacho dump prints it.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

struct DumpedName {
  std::string text;  // for a terminal: control characters are escaped
  std::string json;  // a JSON string with its quotes
};

DumpedName dumped_name(std::string_view bytes);

}  // namespace tacho
