#include "symbols/rust_names.hpp"

#define HAVE_DECL_BASENAME \
  1  // otherwise libiberty.h declares a basename that conflicts with <cstring>
#include <libiberty/demangle.h>

#include <csetjmp>
#include <utility>

namespace tacho::symbols {
namespace {

// Each back reference in a v0 name may double its text, and libiberty has no limit of its own.
struct Bounded {
  std::string text;
  std::size_t most = 0;
  std::jmp_buf too_long;
};

}  // namespace

BoundedName rust_name(const std::string& mangled) {
  Bounded name;
  name.most = most_text(mangled.size());
  // longjmp leaves libiberty because an exception may not pass through its C functions. The frames
  // in between have nothing to destroy.
  if (setjmp(name.too_long) != 0) return {std::nullopt, true};
  const auto take = [](const char* part, std::size_t size, void* into) {
    auto& taken = *static_cast<Bounded*>(into);
    if (taken.text.size() + size > taken.most) std::longjmp(taken.too_long, 1);
    taken.text.append(part, size);
  };
  if (::rust_demangle_callback(mangled.c_str(), DMGL_NO_OPTS, take, &name) == 0) return {};
  return {std::move(name.text), false};
}

}  // namespace tacho::symbols
