// Whether this program has privileges that its user does not have, as after setcap(8), and what it
// takes from the user's environment then.
#pragma once

#include <string>

namespace tacho {

// Whether the kernel started this program with file capabilities, or as another user or group
// (AT_SECURE of getauxval(3)).
bool has_privileges();

// Whether this program was started as another user or group than its caller: it is set-user-ID or
// set-group-ID.
bool runs_as_another_user();

// Whether this program may lock as much memory as it wants (CAP_IPC_LOCK of capabilities(7)).
bool may_lock_memory();

// The value of an environment variable that names data or programs of tacho. Empty if it is not
// set, or if this program has privileges.
std::string user_setting(const char* variable);

}  // namespace tacho
