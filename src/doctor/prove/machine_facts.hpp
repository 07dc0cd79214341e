// What this machine is, as far as it matters for counting: for reports and traces that users send
// in. No host name, no path, no other program.
#pragma once

#include "events/catalogue.hpp"
#include "report/schema.hpp"

namespace tacho::prove {

// {"kernel", "architecture", "cpu", "cpus_online", "core_pmus": [{"name", "type", "cpus",
// "pmu_name", "core_id"}], "sysctls": {…}}
Json machine_facts(const Catalogue& catalogue);

}  // namespace tacho::prove
