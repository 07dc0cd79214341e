#include "stat/request.hpp"

#include "pmu/choice/pmu_option.hpp"

namespace tacho {

double StatRequest::longest_period_ms() const {
  constexpr double kSimulated = 1, kOther = 10;
  return period_ms.value_or(simulated_model(pmu) ? kSimulated : kOther);
}

}  // namespace tacho
