// A region in a static constructor, before main.
#include <tacho/caliper.hpp>

namespace {

struct Early {
  Early() { TACHO_REGION("before main"); }
};
const Early early;

}  // namespace

int main() {
  TACHO_REGION("in main");
}
