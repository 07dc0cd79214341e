#include "dump/dumped_name.hpp"

#include <limits>

#include "base/text_layout.hpp"
#include "report/schema.hpp"

namespace tacho {

DumpedName dumped_name(std::string_view bytes) {
  std::string json = written(Json(std::string(bytes)));
  json.pop_back();  // the newline
  return {printable(bytes, std::numeric_limits<std::size_t>::max()), std::move(json)};
}

}  // namespace tacho
