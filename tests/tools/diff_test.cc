#include "tools/diff.h"

#include <string>

#include "tests/catch.h"

using flipsat::tools::unified_diff;

namespace {

std::string diff(const std::string& before, const std::string& after) {
  return unified_diff(before, after, {"a", "b"});
}

}  // namespace

TEST_CASE("equal texts have no diff") {
  CHECK(diff("", "").empty());
  CHECK(diff("x\ny\n", "x\ny\n").empty());
}

TEST_CASE("a changed line stands with three lines of context") {
  CHECK(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") ==
        "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes far apart get hunks of their own, near ones share one") {
  const std::string before = "a\n1\n2\n3\n4\n5\n6\n7\nb\n8\n9\nc\n";
  const std::string far = diff(before, "A\n1\n2\n3\n4\n5\n6\n7\nB\n8\n9\nC\n");
  CHECK(far ==
        "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
        "@@ -6,7 +6,7 @@\n 5\n 6\n 7\n-b\n+B\n 8\n 9\n-c\n+C\n");
}

TEST_CASE("six lines between changes share a hunk, seven do not") {
  const std::string six = diff("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n");
  CHECK(six.find("\n@@", six.find("\n@@") + 1) == std::string::npos);
  const std::string seven = diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n");
  CHECK(seven.find("\n@@ -6,4 +6,4 @@\n") != std::string::npos);
}

TEST_CASE("lines only added or only removed are numbered as diff numbers them") {
  CHECK(diff("", "x\n") == "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
  CHECK(diff("x\ny\n", "") == "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-x\n-y\n");
}

TEST_CASE("a moved line is removed and added") {
  CHECK(diff("m\n1\n2\n", "1\n2\nm\n") == "--- a\n+++ b\n@@ -1,3 +1,3 @@\n-m\n 1\n 2\n+m\n");
}

TEST_CASE("repeated lines between unique ones keep their partners") {
  CHECK(diff("a\n}\nb\n}\nc\n}\n", "a\n}\nc\n}\n") ==
        "--- a\n+++ b\n@@ -1,6 +1,4 @@\n a\n }\n-b\n-}\n c\n }\n");
}

TEST_CASE("a missing newline at the end is a difference and is said") {
  CHECK(diff("x\n", "x") == "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n");
}
