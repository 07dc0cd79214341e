# cmake -D FOLDER=… -D SCRIPT=… -D OUTPUT=… -P: writes the files of a page as texts of C++.
file(READ ${FOLDER}/page.html template)
file(READ ${FOLDER}/style.css style)
file(READ ${SCRIPT} script)
file(SHA256 ${SCRIPT} sum)
file(WRITE ${OUTPUT} "// Made from web/ by cmake/embed_web.cmake.
#include <cstddef>
#include <string_view>

#include \"page/web_files.hpp\"

namespace tacho {
namespace {

constexpr char kPage[] = R\"web(${template})web\";
constexpr char kStyle[] = R\"web(${style})web\";
constexpr char kScript[] = R\"web(${script})web\";

// A view of a text that is too long for the compiler to count its characters.
template <std::size_t size>
constexpr std::string_view view(const char (&text)[size]) {
  return {text, size - 1};
}

}  // namespace

const WebFiles* web_files() {
  static constexpr WebFiles kFiles{view(kPage), view(kStyle), view(kScript), \"${sum}\"};
  return &kFiles;
}

}  // namespace tacho
")
