// Throws and catches, and sorts strings.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

int main() {
  std::vector<std::string> words;
  int caught = 0;
  for (int i = 0; i < 2000; ++i) {
    words.push_back(std::to_string(i * 7919 % 2003));
    try {
      if (i % 10 == 0) throw std::runtime_error(words.back());
    } catch (const std::exception&) {
      ++caught;
    }
  }
  std::sort(words.begin(), words.end());
  std::printf("%d %s\n", caught, words[1000].c_str());
}
