// The files of web/, which the build puts into the program.
#pragma once

#include <string_view>

namespace tacho {

struct WebFiles {
  std::string_view page;    // the template: @NAME@ stands for a text
  std::string_view style;   // CSS
  std::string_view script;  // JavaScript
  std::string_view sha256;  // of the script, in hexadecimal digits
};

// Null in a build without pages.
const WebFiles* web_files();

}  // namespace tacho
