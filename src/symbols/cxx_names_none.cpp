// Demangles names of C++ in a build without libiberty, with the demangler of the C++ runtime. It
// gives its text piece by piece only to programs that are linked with the runtime's archive.
#include <cxxabi.h>

#include <csetjmp>
#include <cstdlib>
#include <memory>
#include <utility>

#include "symbols/cxx_names.hpp"

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the runtime's name
extern "C" int __gcclibcxx_demangle_callback(const char*, void (*)(const char*, std::size_t, void*),
                                             void*) __attribute__((weak));

namespace tacho::symbols {
namespace {

struct TakenText {
  std::string text;
  std::size_t most = 0;
  std::jmp_buf too_long;
};

void take_text(const char* part, std::size_t size, void* into) {
  auto& taken = *static_cast<TakenText*>(into);
  if (taken.text.size() + size > taken.most) std::longjmp(taken.too_long, 1);
  taken.text.append(part, size);
}

// Whether a name has so few back references that its text is short, and so is the search for packs
// in it. Each reference may double both.
bool has_few_references(const std::string& mangled) {
  constexpr int kFew = 12;
  int references = 0;
  for (std::size_t i = 0; i + 1 < mangled.size(); ++i)
    if ((mangled[i] == 'S' || mangled[i] == 'T') && references++ == kFew) return false;
  return true;
}

}  // namespace

BoundedName cxx_name(const std::string& mangled) {
  if (is_parsed_too_often(mangled)) return {std::nullopt, true};
  const bool few = has_few_references(mangled);
  // The search for a pack in an expansion (Dp) visits shared parts again and again, and prints
  // nothing. The usual operands, such as in DpOT_, have no shared parts.
  if (!few) {
    for (std::size_t at = 0; (at = mangled.find("Dp", at)) != mangled.npos; at += 2) {
      const std::size_t operand = mangled.find_first_not_of("ROPKV", at + 2);
      if (operand == mangled.npos || mangled[operand] != 'T') return {std::nullopt, true};
    }
    if (__gcclibcxx_demangle_callback == nullptr) return {std::nullopt, true};
  }
  if (__gcclibcxx_demangle_callback == nullptr) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> made(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
    if (!made || status != 0) return {};
    return {std::string(made.get()), false};
  }
  TakenText taken;
  taken.most = most_text(mangled.size());
  if (setjmp(taken.too_long) != 0) return {std::nullopt, true};
  if (__gcclibcxx_demangle_callback(mangled.c_str(), take_text, &taken) != 0) return {};
  return {std::move(taken.text), false};
}

}  // namespace tacho::symbols
