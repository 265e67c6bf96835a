// Real and hand-made modules of the corpus: the same as themselves, and runnable on numbers.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "frontends/file.h"
#include "tests/catch.h"
#include "verify/compare.h"
#include "verify/numbers.h"

using namespace flipsat;

namespace {

std::vector<std::string> modules_in(const std::string& folder) {
  const char* corpus = std::getenv("FLIPSAT_CORPUS");
  std::vector<std::string> paths;
  if (!corpus) {
    std::cout << "skipped: FLIPSAT_CORPUS is not set\n";
    return paths;
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(corpus) + "/" + folder)) {
    if (entry.path().string().find(".hlo") != std::string::npos) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

TEST_CASE("modules of the corpus are the same as themselves read again") {
  for (const char* folder : {"cases", "xla", "jax/spmd"}) {
    for (const std::string& path : modules_in(folder)) {
      INFO(path);
      verify::Result result =
          verify::compare(frontends::read_module(path), frontends::read_module(path), {});
      CHECK(result.verdict == verify::Verdict::kSame);
      CHECK(result.values == 0);
    }
  }
}

TEST_CASE("the hand-made cases run on numbers") {
  for (const std::string& path : modules_in("cases")) {
    INFO(path);
    verify::NumberRun run = verify::run_on_numbers(frontends::read_module(path), {});
    // A collective along a dim of a scalar has no meaning.
    bool has_numbers = path.find("token") == std::string::npos;
    INFO(run.reason);
    CHECK(run.ran == has_numbers);
  }
}
