// random_programs --seed S --count N [--plain] -o DIR: writes DIR/S.hlo, DIR/(S+1).hlo, ..
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/random_programs/generator.h"

int main(int argc, char** argv) {
  uint64_t seed = 1, count = 1;
  std::string folder;
  flipsat::random_programs::GeneratorOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--plain") {
      options.exotic = false;
      continue;
    }
    if (word == "--seed") {
      seed = std::strtoull(value, nullptr, 10);
    } else if (word == "--count") {
      count = std::strtoull(value, nullptr, 10);
    } else if (word == "--steps") {
      options.steps = std::atoi(value);
    } else if (word == "-o") {
      folder = value;
    } else {
      std::cerr << "random_programs --seed S --count N [--steps K] [--plain] [-o DIR]\n";
      return 2;
    }
    ++i;
  }
  if (!folder.empty()) std::filesystem::create_directories(folder);
  for (uint64_t s = seed; s < seed + count; ++s) {
    const std::string text = flipsat::random_programs::random_program(s, options);
    if (folder.empty()) {
      std::cout << text;
      continue;
    }
    std::ofstream file(folder + "/" + std::to_string(s) + ".hlo");
    file << text;
    if (!file.flush()) {
      std::cerr << "cannot write into " << folder << "\n";
      return 1;
    }
  }
  return 0;
}
