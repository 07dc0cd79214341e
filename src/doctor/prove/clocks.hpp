// Times of the calling thread and of its CPU, to hold the times of counters against.
#pragma once

namespace tacho::prove {

double cpu_seconds();   // CPU time of the calling thread
double wall_seconds();  // from some time on
// Time that the hypervisor took from this CPU since boot; 0 if the kernel does not say.
double stolen_seconds(int cpu);

}  // namespace tacho::prove
