// Turns the counting of the tacho that launched the program on and off. C++17 or later.
//
//   tacho::control(tacho::Counting::on);
//   hot_part();
//   tacho::control(tacho::Counting::off);
//
// `tacho stat -D -1 --control program -- COMMAND` begins with counting off, and obeys the command.
// So do `tacho record`, and the other channels of --control: the program finds the channel in the
// environment, in TACHO_CONTROL. docs/how-to/count-a-part-of-a-run.md gives examples.
#pragma once

#pragma GCC visibility push(default)
namespace tacho {
inline namespace v0 {

enum class Counting { off, on };

// Asks tacho to count from now on, or not to, and waits until it has obeyed: some 0.1 ms. What all
// threads and processes of the command do meanwhile is counted. Returns whether tacho has obeyed.
// Without a tacho that listens it does nothing and returns false; if tacho does not answer within
// 2 s, it returns false, too. A channel without a file for answers is not waited for.
//
// Thread-safe: threads take turns. Not async-signal-safe. Does not change errno. The child of a
// fork has a connection of its own.
bool control(Counting) noexcept;

}  // namespace v0
}  // namespace tacho
#pragma GCC visibility pop
