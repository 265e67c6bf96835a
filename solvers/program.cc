#include "solvers/program.h"

#include <cstdlib>
#include <filesystem>

#include "solvers/process.h"
#include "solvers/python_folder.h"

namespace flipsat::solvers {
namespace {

namespace fs = std::filesystem;

constexpr double kStartSeconds = 300;  // for Python to load a solver
// Exit statuses of python/flipsat_solvers.
constexpr int kNoPackage = 2;

std::string python() {
  const char* named = std::getenv("FLIPSAT_SOLVER_PYTHON");
  if (named && *named) return named;
  std::error_code error;
  const fs::path own = program_folder() / "solver-venv" / "bin" / "python";
  return fs::exists(own, error) ? own.string() : "python3";
}

std::string package_of(const std::string& name) {
  if (name == "cp-sat") return "ortools";
  if (name == "highs") return "highspy";
  throw Missing("there is no solver '" + name + "' (none, cp-sat or highs)");
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Program find_program(const std::string& name) {
  const std::string package = package_of(name);
  Program program{name, "", {python(), "-B", python_folder("flipsat_solvers"), name}};
  std::vector<std::string> question = program.command;
  question.push_back("--version");
  ProcessLimits limits;
  limits.cpu_seconds = limits.idle_seconds = kStartSeconds;
  const Finished answer = run_process(question, "", limits);
  const std::string how = "; scripts/setup-solvers installs it, or: pip install " + package +
                          ", and name that Python in FLIPSAT_SOLVER_PYTHON";
  if (answer.end == Finished::kNotStarted ||
      (answer.end == Finished::kExited && answer.status == 127)) {
    throw Missing("there is no " + python() + how);
  }
  if (answer.end == Finished::kExited && answer.status == kNoPackage) {
    throw Missing(python() + " has no " + package + how);
  }
  program.version = first_line(answer.output);
  if (answer.end != Finished::kExited || answer.status != 0 || program.version.empty()) {
    throw Missing(python() + " cannot load " + package + ": " + first_line(answer.errors));
  }
  return program;
}

}  // namespace flipsat::solvers
