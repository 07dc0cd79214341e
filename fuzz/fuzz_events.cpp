// Fuzzes event lists. Whatever the text, it is split and resolved, or refused with a reason. The
// catalogue has libpfm4's events, but none of the machine's files.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "events/catalogue.hpp"
#include "events/split_events.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tacho::Catalogue catalogue({"/nonexistent/sysfs", {"/nonexistent/tracefs"}});
  const std::string_view list(reinterpret_cast<const char*>(data), size);
  const auto groups = tacho::split_events(list);
  if (!groups) {
    if (groups.error().what.empty() || groups.error().remedy.empty()) std::abort();
    return 0;
  }
  std::size_t resolved = 0;
  for (const auto& group : *groups) {
    if (group.empty()) std::abort();
    for (const std::string& spec : group) {
      if (++resolved > 4) return 0;  // an unknown name is compared with every known one
      const auto event = catalogue.resolve(spec);
      if (!event && event.error().what.empty()) std::abort();
      if (event && event->name.empty()) std::abort();
    }
  }
  return 0;
}
