// Reads /proc/cpuinfo.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tacho {

// Returns the value of the first of these keys that is in the text of /proc/cpuinfo. Empty if none
// is.
std::string cpuinfo_value(std::string_view cpuinfo, std::initializer_list<std::string_view> keys);

// Returns the text of /proc/cpuinfo below `root`.
std::string cpuinfo_text(const std::string& root = {});

// Returns the processor's name. Empty if /proc/cpuinfo has none.
std::string processor_name(const std::string& root = {});

}  // namespace tacho
