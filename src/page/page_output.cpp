#include "page/page_output.hpp"

#include <fmt/format.h>

#include <utility>

#include "page/web_files.hpp"

namespace tacho {

Result<PageOutput> PageOutput::open(const std::string& path) {
  if (web_files() == nullptr)
    return failure("this tacho was built without pages for browsers (--html)",
                   "install esbuild and node-d3, and build tacho again");
  return PageOutput(TACHO_TRY(Output::to_file(path)));
}

Result<void> PageOutput::write(const Page& page, const Notices& notices) {
  TACHO_TRY(file_.write_bytes(html_page(page)));
  if (file_.name() != Output::to_stdout().name())
    notices.line(fmt::format("wrote {}: open it in a browser", file_.name()));
  return {};
}

Result<void> write_page(const std::string& path, const Page& page, const Notices& notices) {
  PageOutput output = TACHO_TRY(PageOutput::open(path));
  return output.write(page, notices);
}

}  // namespace tacho
