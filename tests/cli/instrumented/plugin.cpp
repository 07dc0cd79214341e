// A library with a region of its own, to be loaded and unloaded.
#include <tacho/caliper.hpp>

extern "C" __attribute__((visibility("default"))) void run_plugin() {
  TACHO_REGION("plugin");
}
