#include "tests/egraph/workload.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace flipsat::egraph {
namespace {

constexpr Kind kLeaf = 0;

class Reader {
 public:
  Workload read(std::istream& in) {
    workload_.costs.push_back(1);
    std::string line;
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string word;
      if (words >> word) item(word, words, line);
    }
    return std::move(workload_);
  }

 private:
  void item(const std::string& word, std::istringstream& words, const std::string& line) {
    std::string name;
    if (word == "workload") {
      words >> workload_.name;
    } else if (word == "iters") {
      words >> workload_.iterations;
    } else if (word == "leafcost") {
      words >> workload_.costs[kLeaf];
    } else if (word == "op") {
      uint32_t arity = 0;
      Cost cost = 0;
      words >> name >> arity >> cost;
      workload_.operators[name] = workload_.graph.intern(Kind(workload_.costs.size()));
      workload_.costs.push_back(cost);
    } else if (word == "n") {
      words >> name;
      std::vector<ClassId> children;
      for (size_t child = 0; words >> child;) children.push_back(nodes_.at(child));
      nodes_.push_back(workload_.graph.add(op(name), children));
    } else if (word == "root") {
      size_t root = 0;
      words >> root;
      workload_.roots.push_back(nodes_.at(root));
    } else if (word == "rule") {
      words >> name;
      text_ = line.substr(line.find(" : ") + 3);
      at_ = 0;
      Pattern left = term();
      at_ = text_.find("=>") + 2;
      workload_.rules.add(Rule(name, std::move(left)).to(term()));
    } else if (word != "nodes") {
      throw std::runtime_error("workload: " + line);
    }
  }

  OperatorId op(const std::string& name) {
    const auto it = workload_.operators.find(name);
    if (it != workload_.operators.end()) return it->second;
    const uint32_t payload = static_cast<uint32_t>(workload_.operators.size());
    return workload_.operators[name] = workload_.graph.intern(kLeaf, payload);
  }

  Pattern term() {
    while (text_[at_] == ' ') ++at_;
    if (text_[at_] == '(') {
      ++at_;
      const OperatorId head = op(token());
      std::vector<Pattern> children;
      while (at_ < text_.size() && text_[at_] != ')') {
        if (text_[at_] == ' ') {
          ++at_;
        } else {
          children.push_back(term());
        }
      }
      ++at_;
      return exact(head, std::move(children));
    }
    std::string name = token();
    if (name[0] != '?') return exact(op(name));
    workload_.names.push_back(std::move(name));
    return ClassVar{workload_.names.back()};
  }

  std::string token() {
    const size_t end = std::min(text_.find_first_of(" ()", at_), text_.size());
    std::string word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }

  Workload workload_;
  std::vector<ClassId> nodes_;  // by number of the `n` line
  std::string text_;            // of the rule that is being read
  size_t at_ = 0;
};

}  // namespace

Workload read_workload(std::istream& in) { return Reader().read(in); }

std::optional<Workload> find_workload(const std::string& file) {
  std::string folder;
  if (const char* given = std::getenv("FLIPSAT_WORKLOADS")) {
    folder = given;
  } else if (const char* corpus = std::getenv("FLIPSAT_CORPUS")) {
    folder = std::string(corpus) + "/../bench/workloads";
  }
  std::ifstream in(folder + "/" + file);
  if (folder.empty() || !in) {
    std::cout << "skipped: no workload " << file << " (FLIPSAT_WORKLOADS, FLIPSAT_CORPUS)\n";
    return std::nullopt;
  }
  return read_workload(in);
}

Workload sum_of_leaves(int count) {
  std::ostringstream text;
  text << "op + 2 1\nleafcost 1\n"
       << "rule comm : (+ ?a ?b) => (+ ?b ?a)\n"
       << "rule assoc : (+ (+ ?a ?b) ?c) => (+ ?a (+ ?b ?c))\n"
       << "rule assoc-back : (+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c)\n";
  for (int leaf = 0; leaf < count; ++leaf) text << "n v" << leaf << "\n";
  for (int leaf = 1; leaf < count; ++leaf) {
    text << "n + " << (leaf == 1 ? 0 : count + leaf - 2) << " " << leaf << "\n";
  }
  text << "root " << 2 * count - 2 << "\n";
  std::istringstream in(text.str());
  return read_workload(in);
}

}  // namespace flipsat::egraph
