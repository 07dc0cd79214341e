// The file of --html.
#pragma once

#include <string>

#include "base/result.hpp"
#include "page/page.hpp"
#include "report/notices.hpp"
#include "report/output.hpp"

namespace tacho {

class PageOutput {
 public:
  // Opens the file before the measurement. Errors: it can't be written, or this program was built
  // without pages.
  static Result<PageOutput> open(const std::string& path);

  // Writes the page, and says so.
  Result<void> write(const Page&, const Notices&);

  const Output& file() const { return file_; }

 private:
  explicit PageOutput(Output file) : file_(std::move(file)) {}

  Output file_;
};

// Opens the file and writes the page: where nothing is measured that a wrong path could lose.
Result<void> write_page(const std::string& path, const Page&, const Notices&);

}  // namespace tacho
