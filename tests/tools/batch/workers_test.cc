#include "tools/batch/workers.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tools/memory.h"

using namespace flipsat::tools;

namespace {

struct Seen {
  std::map<size_t, WorkerAnswer> answers;
  std::map<size_t, std::string> retried;
};

Seen run(size_t pieces, const WorkerOptions& options,
         const std::function<std::string(size_t)>& work) {
  Seen seen;
  run_in_workers(
      pieces, options, work,
      [&](size_t piece, const WorkerAnswer& answer) {
        CHECK(seen.answers.emplace(piece, answer).second);
      },
      [&](size_t piece, const std::string& why) {
        CHECK(seen.retried.emplace(piece, why).second);
      });
  CHECK(seen.answers.size() == pieces);
  return seen;
}

}  // namespace

TEST_CASE("workers: each piece is answered once, by processes of their own") {
  const Seen seen = run(50, {3, 0}, [](size_t piece) {
    return std::to_string(piece) + " " + std::to_string(getpid()) + std::string(piece * 1000, 'x');
  });
  std::set<std::string> processes;
  for (const auto& [piece, answer] : seen.answers) {
    CHECK(answer.failure.empty());
    CHECK(answer.text.size() > piece * 1000);
    CHECK(answer.text.starts_with(std::to_string(piece) + " "));
    processes.insert(answer.text.substr(0, answer.text.find('x')).substr(answer.text.find(' ')));
  }
  CHECK(processes.count(" " + std::to_string(getpid())) == 0);
  CHECK(processes.size() <= 3);
  CHECK(seen.retried.empty());
  CHECK(run(0, {2, 0}, [](size_t) { return ""; }).answers.empty());
}

TEST_CASE("workers: one that dies takes one piece with it, after a second try") {
  const Seen seen = run(20, {2, 0}, [](size_t piece) -> std::string {
    if (piece == 7) raise(SIGKILL);
    if (piece == 9) _exit(3);
    return "fine";
  });
  for (const auto& [piece, answer] : seen.answers) {
    if (piece == 7 || piece == 9) continue;
    CHECK(answer.text == "fine");
    CHECK(answer.failure.empty());
  }
  CHECK(seen.answers.at(7).failure == "its process was ended by signal 9 (Killed)");
  CHECK(seen.answers.at(9).failure == "its process ended with status 3");
  CHECK(seen.retried.size() == 2);
  CHECK(seen.retried.at(7) == seen.answers.at(7).failure);
}

TEST_CASE("workers: what was too much beside others may do alone") {
#if defined(__SANITIZE_ADDRESS__)
  SUCCEED("a sanitizer's own memory is past any limit");
#else
  const int64_t memory = resident_bytes() + 600 * (int64_t{1} << 20);
  const auto hold = [](size_t megabytes) {
    std::vector<char> held(megabytes << 20);
    for (size_t i = 0; i < held.size(); i += 4096) held[i] = 1;
    return std::to_string(std::count(held.begin(), held.end(), 1) > 0);
  };
  const std::vector<size_t> sizes = {10, 350, 20, 5000, 30};
  const Seen seen =
      run(sizes.size(), {2, memory}, [&](size_t piece) { return hold(sizes[piece]); });
  for (size_t piece : {0, 1, 2, 4}) {
    CAPTURE(piece);
    CHECK(seen.answers.at(piece).text == "1");
  }
  CHECK(seen.retried.size() == 2);
  CHECK(seen.retried.count(1) == 1);
  CHECK(seen.answers.at(3).failure.starts_with("it needs more memory than --memory "));
#endif
}

TEST_CASE("workers: their number follows from what memory there is for each") {
#if !defined(__SANITIZE_ADDRESS__)
  const Seen seen = run(12, {8, least_memory()}, [](size_t) { return std::to_string(getpid()); });
  std::set<std::string> processes;
  for (const auto& [_, answer] : seen.answers) processes.insert(answer.text);
  CHECK(processes.size() == 1);
#endif
}
