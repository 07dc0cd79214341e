#include "process/launch.hpp"

#include <utility>

namespace tacho {

Launch run_by(const Launch& launch, std::vector<std::string> argv,
              std::vector<std::string> environment) {
  Launch made = launch;
  made.argv = std::move(argv);
  made.environment.insert(made.environment.begin(), environment.begin(), environment.end());
  made.fixed_addresses = false;
  return made;
}

}  // namespace tacho
