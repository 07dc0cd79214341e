// Lists the files that the name of a program may mean: a command that the user gives, or a helper
// that tacho runs by itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Returns these files in the order of execvp(3): the name itself if it has a slash, else a file in
// each directory of PATH. execvp(3) takes an empty element of PATH for the working directory, where
// others may have put a program. It is left out here. If the program will run in another working
// `directory`, relative names are below that.
std::vector<std::string> program_files(const std::string& name, const std::string& directory = {});

// Returns the interpreter that the first line of a script names ("#!"), from the start of the file;
// empty if the file is no script.
std::string interpreter_of(std::string_view head);

// Returns the executable file of a helper, such as "gnuplot", if it is there. Only absolute
// directories of PATH are searched. With privileges the directories are fixed. A name with a slash
// is the file.
std::optional<std::string> find_helper(const std::string& name);

// The environment for helpers. With privileges PATH is the fixed one, because a helper runs others.
class HelperEnvironment {
 public:
  HelperEnvironment();
  char** variables() { return variables_.data(); }

 private:
  std::string path_;
  std::vector<char*> variables_;
};

}  // namespace tacho
