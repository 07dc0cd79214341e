// The classes of operations that an out-of-order model tells apart, and what each costs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tacho {

// A class that a model does not describe costs as much as the class `like`, which stands before it.
// One without `like` has to be described, but for the first: it costs nothing.
struct OperationClass {
  std::string_view name;
  std::string_view like;
};

// In the order of the simulator (simulator/instruction.h).
// clang-format off: a table
inline constexpr auto kOperationClasses = std::to_array<OperationClass>({
    {"none", ""}, {"integer", ""}, {"move", "integer"}, {"zero", "integer"}, {"carry", "integer"},
    {"select", "integer"}, {"select_two", "select"}, {"shift", "integer"},
    {"shift_variable", "shift"}, {"shift_double", "shift"}, {"address", "integer"},
    {"address_slow", "address"}, {"swap_bytes", "integer"}, {"exchange", "integer"},
    {"multiply", ""}, {"multiply_wide", "multiply"}, {"multiply_long", "multiply_wide"},
    {"count_bits", "integer"}, {"divide", ""}, {"divide_long", "divide"},
    {"branch", ""}, {"jump", "branch"}, {"locked", "integer"}, {"pause", "none"},
    {"load", ""}, {"load_chained", "load"}, {"load_vector", "load"}, {"forward", ""},
    {"forward_blocked", "forward"}, {"stack", "none"},
    {"store_address", ""}, {"store_address_indexed", "store_address"}, {"store_data", ""},
    {"vector_logic", ""}, {"vector_add", "vector_logic"}, {"vector_compare", "vector_logic"},
    {"vector_shift", "vector_logic"}, {"vector_multiply", "multiply"},
    {"vector_multiply_long", "vector_multiply"}, {"vector_horizontal", "vector_add"},
    {"vector_blend", "vector_logic"}, {"shuffle", "vector_logic"}, {"shuffle_lanes", "shuffle"},
    {"to_vector", "shuffle"}, {"from_vector", "shuffle"}, {"insert", "shuffle"},
    {"extract", "shuffle"}, {"gather", "load_vector"},
    {"float_add", ""}, {"float_multiply", ""}, {"float_compare", "float_add"},
    {"float_round", "float_add"}, {"float_estimate", "float_add"},
    {"float_horizontal", "float_add"}, {"convert", "float_add"}, {"convert_width", "convert"},
    {"convert_to_integer", "convert"}, {"encrypt", "vector_multiply"},
    {"float_divide", ""}, {"float_divide_single", "float_divide"},
    {"float_divide_wide", "float_divide"}, {"float_divide_single_wide", "float_divide_single"},
    {"float_root", "float_divide"}, {"float_root_single", "float_divide_single"},
    {"x87_add", "float_add"}, {"x87_multiply", "float_multiply"}, {"complex", "integer"}});
// clang-format on

// Any one of these ports is busy for so many cycles.
struct PortUse {
  std::uint32_t ports = 0;  // a mask
  unsigned cycles = 0;
};

struct Operation {
  unsigned latency = 0;  // cycles from its operands to its result
  unsigned slots = 0;    // micro-operations that issue
  std::vector<PortUse> uses;
};

inline constexpr std::size_t kMostPorts = 32;
inline constexpr std::size_t kMostUses = 6;  // of an operation

using Operations = std::array<Operation, kOperationClasses.size()>;

// Reads "LATENCY USE USE…". A use is a set of ports, as "06": a micro-operation that any of them
// executes; "3*06": three of them; "D/4": a unit that is busy for 4 cycles, without an own
// micro-operation. Ports are the letters and digits of `ports`. Nothing if the text has another
// form.
std::optional<Operation> parse_operation(std::string_view text, std::string_view ports);

// The index of the class's cost: its own, if it is described, else that of the class it is like.
// Nothing if neither is described.
std::optional<std::size_t> described_class(
    std::size_t index, const std::array<bool, kOperationClasses.size()>& described);

}  // namespace tacho
