// base: what every room stands on. An Error names the thing that failed, the cause and the remedy;
// a Result is a value or an Error.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "tacho/error.hpp"

namespace tacho {

template <class T>
using Result = std::expected<T, Error>;

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

// The value of a Result, or the end of the function: where the expression holds an Error, the
// enclosing function, which returns a Result too, returns that Error as it is.
//   const auto text = TACHO_TRY(read_file(path));
// The one way in which tacho passes an error on unchanged. Whoever adds to an error, or acts on it,
// writes so in full. A statement expression of GCC and clang: C++ has nothing that returns from
// within an expression.
#define TACHO_TRY(...)                                                        \
  __extension__({                                                             \
    auto tried = (__VA_ARGS__);                                               \
    if (!tried.has_value()) return std::unexpected(std::move(tried).error()); \
    *std::move(tried);                                                        \
  })
