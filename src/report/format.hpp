// The formats in which every report can be had.
#pragma once

namespace tacho {

enum class Format { text, json, csv };

}  // namespace tacho
