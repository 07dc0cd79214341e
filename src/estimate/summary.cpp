#include "estimate/summary.hpp"

namespace tacho {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::counted:
      return "counted";
    case Status::simulated:
      return "simulated";
    case Status::estimated:
      return "estimated";
    case Status::unsupported:
      return "unsupported";
    case Status::failed:
      break;
  }
  return "failed";
}

}  // namespace tacho
