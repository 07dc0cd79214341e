// What /proc/cpuinfo says of the processor.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tacho {

// The value of the first of these keys that stands in the text of /proc/cpuinfo; empty where none
// does.
std::string cpuinfo_value(std::string_view cpuinfo, std::initializer_list<std::string_view> keys);

// The whole text; `root` stands before /proc.
std::string cpuinfo_text(const std::string& root = {});

// The processor's name; empty where the kernel does not tell it.
std::string processor_name(const std::string& root = {});

}  // namespace tacho
