#include "symbols/rust_names.hpp"

#define HAVE_DECL_BASENAME 1  // or libiberty.h declares another one than <cstring> has
#include <libiberty/demangle.h>

#include <csetjmp>
#include <utility>

namespace tacho::symbols {
namespace {

// Each reference back in a v0 name may double what it stands for, so that a hundred bytes of an
// ill-meant file could stand for more than there is memory, and libiberty sets no limit.
constexpr std::size_t kLongestRustName = 65536;

struct Bounded {
  std::string text;
  std::jmp_buf too_long;
};

}  // namespace

std::optional<std::string> rust_name(const std::string& mangled) {
  Bounded name;
  // A jump, for libiberty is C, whose functions an exception can't be relied on to pass. There is
  // nothing to destroy on its way.
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
