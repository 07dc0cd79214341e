// Finds the functions that a user means by a name, which may be shortened (symbols/name_fit.hpp),
// and the names that are near to one that no function has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "locate/resolver.hpp"
#include "profile/profile.hpp"

namespace tacho {

// The functions that the name means: those with the best fit among `candidates`.
std::vector<FunctionId> functions_meant(const Resolver&, std::span<const FunctionId> candidates,
                                        std::string_view name);

// A function with samples, or the code of an inlined function within it.
struct ChosenFunction {
  FunctionId id = 0;
  std::string inlined;                // empty: the function itself
  std::uint64_t samples = 0;          // of the event
  std::vector<std::string> warnings;  // they name the others that the name means
};

// The function with the most samples of the event among those that the name means; an inlined one
// if no other is meant. If the name is empty: of those whose code can be shown. The remedy of the
// error has the nearest names.
Result<ChosenFunction> choose_function(const Profile&, Resolver&, std::size_t event,
                                       const std::string& name);

// Whether the frames of an address, innermost first, contain code of this inlined function.
bool has_inlined(std::span<const symbols::Frame> frames, std::string_view function);

// A name with a number of samples.
struct SampledName {
  std::string name;
  std::uint64_t samples = 0;
};
// "did you mean 'a' (410 samples) or 'b' (3 samples)? 'tacho report' shows the functions there
// are".
std::string nearest_functions(std::string_view asked, std::span<const SampledName>);

}  // namespace tacho
