#include "symbols/rust_names.hpp"

#define HAVE_DECL_BASENAME \
  1  // otherwise libiberty.h declares a basename that conflicts with <cstring>
#include <libiberty/demangle.h>

#include <csetjmp>
#include <utility>

namespace tacho::symbols {
namespace {

// Bytes. Each back reference in a v0 name may double its text: a hundred bytes of a malicious file
// could fill all memory. libiberty has no limit of its own.
constexpr std::size_t kLongestRustName = 65536;

struct Bounded {
  std::string text;
  std::jmp_buf too_long;
};

}  // namespace

std::optional<std::string> rust_name(const std::string& mangled) {
  Bounded name;
  // longjmp leaves libiberty because an exception may not pass through its C functions. The frames
  // in between have nothing to destroy.
  if (setjmp(name.too_long) != 0) return std::nullopt;
  const auto take = [](const char* part, std::size_t size, void* into) {
    auto& taken = *static_cast<Bounded*>(into);
    if (taken.text.size() + size > kLongestRustName) std::longjmp(taken.too_long, 1);
    taken.text.append(part, size);
  };
  if (::rust_demangle_callback(mangled.c_str(), DMGL_NO_OPTS, take, &name) == 0)
    return std::nullopt;
  return std::move(name.text);
}

}  // namespace tacho::symbols
