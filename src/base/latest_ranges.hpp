// Ranges of addresses, of which a later one replaces what it covers of the earlier ones. A copy
// costs nothing: it shares all ranges with the original until one of them changes, and then all but
// a few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/hash_seed.hpp"

namespace tacho {

// A treap (R. Seidel, C. R. Aragon, Randomized search trees, Algorithmica 16 (1996)) whose nodes
// are copied on write: a change copies the shared nodes on one path, of expected length
// 2 ln(ranges). Copies may not be used by several threads.
template <class Value>
class LatestRanges {
 public:
  struct Piece {
    std::uint64_t start = 0;
    std::uint64_t end = 0;  // one past the last address
    Value value{};
  };
  // The last piece that starts at an address or before it, and the first one that starts after it;
  // nullptr if there is none.
  struct Neighbours {
    const Piece* before = nullptr;
    const Piece* after = nullptr;
  };

  // Adds the addresses from `start` to the one before `end`. Ignores an empty range. Returns how
  // many nodes were copied because another LatestRanges shares them.
  std::size_t put(std::uint64_t start, std::uint64_t end, Value value) {
    if (start >= end) return 0;
    copied_ = 0;
    auto [left, from_start] = split(std::move(root_), start);
    auto [covered, right] = split(std::move(from_start), end);
    if (const Node* last = last_of(left); last != nullptr && last->piece.end > start) {
      if (last->piece.end > end)
        right = joined(Link(new Node({end, last->piece.end, last->piece.value})), std::move(right));
      end_last_at(left, start);
    }
    if (const Node* last = last_of(covered); last != nullptr && last->piece.end > end)
      right = joined(Link(new Node({end, last->piece.end, last->piece.value})), std::move(right));
    root_ = joined(joined(std::move(left), Link(new Node({start, end, value}))), std::move(right));
    return copied_;
  }

  Neighbours around(std::uint64_t address) const {
    Neighbours found;
    for (const Node* node = root_.get(); node != nullptr;) {
      const bool starts_before = node->piece.start <= address;
      (starts_before ? found.before : found.after) = &node->piece;
      node = starts_before ? node->right.get() : node->left.get();
    }
    return found;
  }

  // The value of the last range that contains the address; nullptr if there is none.
  const Value* at(std::uint64_t address) const {
    const Piece* const piece = around(address).before;
    return piece == nullptr || piece->end <= address ? nullptr : &piece->value;
  }

  // Calls visit(piece) for the pieces that are left, by their start.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for_each(root_.get(), visit);
  }

  bool empty() const { return root_.get() == nullptr; }
  // Whether a change copies nodes.
  bool is_shared() const { return root_.is_shared(); }

 private:
  struct Node;

  // Counts who points to a node.
  class Link {
   public:
    Link() = default;
    explicit Link(Node* fresh) : node_(fresh) {}
    Link(const Link& other) : node_(other.node_) {
      if (node_ != nullptr) ++node_->links;
    }
    Link(Link&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
    Link& operator=(Link other) noexcept {
      std::swap(node_, other.node_);
      return *this;
    }
    ~Link() {
      if (node_ != nullptr && --node_->links == 0) delete node_;
    }
    Node* get() const { return node_; }
    Node* operator->() const { return node_; }
    bool is_shared() const { return node_ != nullptr && node_->links > 1; }

   private:
    Node* node_ = nullptr;
  };

  struct Node {
    explicit Node(Piece what)
        : piece(std::move(what)), rank(static_cast<std::uint32_t>(hashed(piece.start))) {}
    Piece piece;
    Link left, right;         // of lower ranks
    std::uint32_t rank;       // random
    std::uint32_t links = 1;  // that point here
  };

  // Makes the node one that only this link points to.
  Node* own(Link& link) {
    if (link.is_shared()) {
      ++copied_;
      Link copy(new Node(link->piece));
      copy->left = link->left;
      copy->right = link->right;
      link = std::move(copy);
    }
    return link.get();
  }

  // The pieces that start before an address, and the others.
  std::pair<Link, Link> split(Link tree, std::uint64_t start) {
    if (tree.get() == nullptr) return {};
    Node* const node = own(tree);
    const bool before = node->piece.start < start;
    Link& inner = before ? node->right : node->left;
    auto [less, rest] = split(std::move(inner), start);
    if (before) {
      inner = std::move(less);
      return {std::move(tree), std::move(rest)};
    }
    inner = std::move(rest);
    return {std::move(less), std::move(tree)};
  }

  // All pieces of `left` start before those of `right`.
  Link joined(Link left, Link right) {
    if (left.get() == nullptr) return right;
    if (right.get() == nullptr) return left;
    if (left->rank > right->rank) {
      Node* const node = own(left);
      node->right = joined(std::move(node->right), std::move(right));
      return left;
    }
    Node* const node = own(right);
    node->left = joined(std::move(left), std::move(node->left));
    return right;
  }

  static const Node* last_of(const Link& tree) {
    const Node* node = tree.get();
    while (node != nullptr && node->right.get() != nullptr) node = node->right.get();
    return node;
  }

  void end_last_at(Link& tree, std::uint64_t end) {
    Node* node = own(tree);
    while (node->right.get() != nullptr) node = own(node->right);
    node->piece.end = end;
  }

  template <class Visit>
  static void for_each(const Node* node, const Visit& visit) {
    if (node == nullptr) return;
    for_each(node->left.get(), visit);
    visit(node->piece);
    for_each(node->right.get(), visit);
  }

  Link root_;
  std::size_t copied_ = 0;  // nodes, in the last put()
};

}  // namespace tacho
