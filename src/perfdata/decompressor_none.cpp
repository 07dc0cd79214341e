// The decompressor of a build without zstd. decompressor.cpp has the one with zstd.
#include <memory>
#include <utility>

#include "perfdata/decompressor.hpp"

namespace tacho::perfdata {

struct Decompressor::Stream {};

Decompressor::Decompressor(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}
Decompressor::~Decompressor() = default;
bool Decompressor::available() {
  return false;
}
void Decompressor::release() {}
void Decompressor::feed(Bytes) {}
Bytes Decompressor::peek(std::size_t) {
  return {};
}

}  // namespace tacho::perfdata
