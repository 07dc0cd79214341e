#include "cli/format_option.hpp"

namespace tacho {

CLI::Option_group& add_format_options(CLI::App& app, Format& format,
                                      const std::string& csv_description) {
  CLI::Option_group& formats =
      *app.add_option_group("formats", "Formats, of which one may be chosen");
  formats.add_flag_callback("--json", [&format] { format = Format::json; }, "As JSON, schema 1");
  formats.add_flag_callback("--csv", [&format] { format = Format::csv; }, csv_description);
  formats.require_option(0, 1);
  return formats;
}

}  // namespace tacho
