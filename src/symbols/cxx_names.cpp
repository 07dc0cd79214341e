// Demangles with libiberty, which has no limit of its own. A mangled name is a tree in which back
// references share subtrees, so that it is small. Its text, which repeats what is shared, can be
// exponentially longer. So the nodes of the unfolded tree are counted first, in one visit of each
// shared node. Then the text is taken piece by piece until it is too long.
#include "symbols/cxx_names.hpp"

#define HAVE_DECL_BASENAME \
  1  // otherwise libiberty.h declares a basename that conflicts with <cstring>
#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tacho::symbols {
namespace {

using Node = demangle_component;

constexpr std::size_t kLongestCxxName = 8192;  // bytes: the parser's stack grows with the name

// libiberty's printer puts (template argument lists) x (references to template parameters) entries
// of 16 bytes on the stack. Each node counts at most twice.
constexpr std::uint64_t kMostOnStack = std::uint64_t{1} << 14;

std::array<const Node*, 2> children_of(const Node& node) {
  switch (node.type) {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_NUMBER:
      return {};
    case DEMANGLE_COMPONENT_CTOR:
      return {node.u.s_ctor.name, nullptr};
    case DEMANGLE_COMPONENT_DTOR:
      return {node.u.s_dtor.name, nullptr};
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
      return {node.u.s_extended_operator.name, nullptr};
    case DEMANGLE_COMPONENT_FIXED_TYPE:
      return {node.u.s_fixed.length, nullptr};
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG:
      return {node.u.s_unary_num.sub, nullptr};
    default:
      return {node.u.s_binary.left, node.u.s_binary.right};
  }
}

// Whether the printer keeps the template arguments that are valid here.
bool keeps_scope(const Node& node) {
  return (node.type == DEMANGLE_COMPONENT_REFERENCE ||
          node.type == DEMANGLE_COMPONENT_RVALUE_REFERENCE) &&
         node.u.s_binary.left != nullptr &&
         node.u.s_binary.left->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM;
}

// What printing a tree takes.
struct Work {
  std::uint64_t nodes = 0;  // of the unfolded tree; at most `most`
  std::uint64_t templates = 0, scopes = 0;
};

// `nodes` is the array in which libiberty made the nodes of the tree at `root`.
class WorkCount {
 public:
  WorkCount(std::span<const Node> nodes, std::uint64_t most)
      : nodes_(nodes), unfolded_(nodes.size()), most_(most) {}

  // Nullopt if it is no tree: a node is its own descendant.
  std::optional<Work> of(const Node* root) {
    open_.push_back({root});
    while (!open_.empty()) {
      Open& top = open_.back();
      const std::size_t index = static_cast<std::size_t>(top.node - nodes_.data());
      if (top.next == 2) {
        unfolded_[index] = std::min(most_, top.sum);
        open_.pop_back();
        if (!open_.empty()) open_.back().sum += unfolded_[index];
        continue;
      }
      if (top.next == 0) enter(index, *top.node);
      const Node* child = children_of(*top.node)[top.next++];
      if (child == nullptr) continue;
      const std::ptrdiff_t of_child = child - nodes_.data();
      if (of_child < 0 || of_child >= std::ssize(nodes_)) return std::nullopt;
      const std::uint64_t known = unfolded_[static_cast<std::size_t>(of_child)];
      if (known == kEntered) return std::nullopt;
      if (known != 0)
        top.sum += known;
      else
        open_.push_back({child});
    }
    work_.nodes = unfolded_[static_cast<std::size_t>(root - nodes_.data())];
    return work_;
  }

 private:
  static constexpr std::uint64_t kEntered = ~std::uint64_t{0};
  struct Open {
    const Node* node = nullptr;
    std::size_t next = 0;   // the child that is visited next
    std::uint64_t sum = 1;  // nodes so far
  };

  void enter(std::size_t index, const Node& node) {
    unfolded_[index] = kEntered;
    if (node.type == DEMANGLE_COMPONENT_TEMPLATE) ++work_.templates;
    if (keeps_scope(node)) ++work_.scopes;
  }

  std::span<const Node> nodes_;
  std::vector<std::uint64_t> unfolded_;  // by index of the node; 0: not visited
  std::vector<Open> open_;
  std::uint64_t most_;
  Work work_;
};

bool is_too_much(const Node* tree, const void* memory, std::size_t size) {
  // libiberty makes at most two nodes for each byte of the name.
  const std::span nodes(static_cast<const Node*>(memory), 2 * size);
  const std::uint64_t most = most_text(size);
  const auto work = WorkCount(nodes, most).of(tree);
  return !work || work->nodes >= most || work->templates * work->scopes > kMostOnStack;
}

struct Taken {
  std::string text;
  std::size_t most = 0;
  std::jmp_buf too_long;
};

void take_part(const char* part, std::size_t size, void* into) {
  auto& taken = *static_cast<Taken*>(into);
  if (taken.text.size() + size > taken.most) std::longjmp(taken.too_long, 1);
  taken.text.append(part, size);
}

}  // namespace

BoundedName cxx_name(const std::string& mangled) {
  constexpr int kOptions = DMGL_PARAMS | DMGL_TYPES;  // as abi::__cxa_demangle
  if (mangled.size() > kLongestCxxName || is_parsed_too_often(mangled)) return {std::nullopt, true};
  void* memory = nullptr;
  Node* tree = ::cplus_demangle_v3_components(mangled.c_str(), kOptions, &memory);
  const std::unique_ptr<void, decltype(&std::free)> owned(memory, &std::free);
  if (tree == nullptr) return {};
  if (is_too_much(tree, memory, mangled.size())) return {std::nullopt, true};
  Taken taken;
  taken.most = most_text(mangled.size());
  // longjmp leaves libiberty because an exception may not pass through its C functions. The frames
  // in between have nothing to destroy.
  if (setjmp(taken.too_long) != 0) return {std::nullopt, true};
  if (::cplus_demangle_print_callback(kOptions, tree, take_part, &taken) == 0) return {};
  return {std::move(taken.text), false};
}

}  // namespace tacho::symbols
