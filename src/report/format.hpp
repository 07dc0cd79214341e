// The formats of a report.
#pragma once

namespace tacho {

enum class Format { text, json, csv };

}  // namespace tacho
