// In a build without esbuild or d3. The build makes the other way from web/: see cmake/Pages.cmake.
#include "page/web_files.hpp"

namespace tacho {

const WebFiles* web_files() {
  return nullptr;
}

}  // namespace tacho
