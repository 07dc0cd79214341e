// Fuzzes the demanglers, which are those of binutils: a name of a few bytes can stand for gigabytes
// of text, or for hours of work.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "symbols/bounded_name.hpp"
#include "symbols/demangle.hpp"
#include "symbols/name_fit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  for (const char* prefix : {"", "_Z", "_R"}) {
    const std::string name = prefix + std::string(given);
    const std::string text = tacho::symbols::demangled(name);
    if (text != name && text.size() > tacho::symbols::most_text(name.size()) + name.size())
      std::abort();
    if (tacho::symbols::is_too_long_to_demangle(name) && text != name) std::abort();
    static_cast<void>(tacho::symbols::brief_name(name));
    static_cast<void>(tacho::symbols::own_name(text));
    static_cast<void>(tacho::symbols::name_fit(text, "f"));
  }
  return 0;
}
