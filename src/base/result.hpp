// base: what every room uses. An Error says what failed, why, and what to do; a Result is a value
// or an Error.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "tacho/error.hpp"

namespace tacho {

template <class T>
using Result = std::expected<T, Error>;

// "EACCES", or the number if it has no name.
std::string errno_name(int code);

// "cannot open 'x': Permission denied (EACCES)" for what = "cannot open 'x'" and code = EACCES.
Error os_error(std::string_view what, int code, std::string_view remedy = {});

inline std::unexpected<Error> failure(std::string what, std::string remedy = {}, int code = 0) {
  return std::unexpected(Error{std::move(what), std::move(remedy), code});
}

inline std::unexpected<Error> os_failure(std::string_view what, int code,
                                         std::string_view remedy = {}) {
  return std::unexpected(os_error(what, code, remedy));
}

}  // namespace tacho

// Gives the value of a Result. If the Result is an Error, the enclosing function returns that
// Error; this function must return a Result too.
//   const auto text = TACHO_TRY(read_file(path));
// tacho passes every error on unchanged in this way. Code that changes an error, or acts on it, is
// written in full. The macro is a statement expression of GCC and clang, because a C++ expression
// cannot return from the function. It stands alone behind `=` or `return`, or is the only argument
// of a call: GCC 12 leaks what a braced list made before it. tools/check-format checks this.
#define TACHO_TRY(...)                                                        \
  __extension__({                                                             \
    auto tried = (__VA_ARGS__);                                               \
    if (!tried.has_value()) return std::unexpected(std::move(tried).error()); \
    *std::move(tried);                                                        \
  })
