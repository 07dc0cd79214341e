// Which files tacho may write into, and which it must replace by a new one.
#pragma once

#include <string>

namespace tacho {

// Whether the name that is to be written is a regular file of another user, or a symbolic link that
// another user made. The other user could read or change what tacho writes into that file, or lead
// tacho to a file of this user. Root's files are trusted. So are the names of open descriptors,
// such as /dev/stdout: the caller opened them.
bool is_of_another_user(const std::string& path);

// Whether the descriptor is a regular file of another user.
bool is_of_another_user(int fd);

// Whether this user may remove the name of another user's file: the directory must be writable, and
// if it is sticky, as /tmp is, it must be this user's or this user must be root.
bool may_replace(const std::string& path);

// Takes the lock of a regular file until the descriptor is closed. Returns whether another program
// has it: two programs would overwrite each other's text. Other kinds of files have no writer of
// their own, and some file systems have no locks: false.
bool is_locked_by_another(int fd);

}  // namespace tacho
