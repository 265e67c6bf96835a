#include "tests/rules/fixture.h"
#include "optimizer/harness/judge.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "extract/program_cost.h"
#include "frontends/text/text.h"
#include "hlo/verifier.h"
#include "rules/saturate.h"
#include "tests/catch.h"
#include "verify/compare.h"
#include "verify/numbers.h"

namespace flipsat::rules::testing {

using language::ClassId;
using language::NodeId;

Setup only(std::set<std::string> names, hlo::Numerics numerics) {
  Setup setup;
  setup.rules.only = std::move(names);
  setup.rules.numerics = numerics;
  return setup;
}

std::string program(const std::string& lines, const std::string& header) {
  std::string text = "HloModule test, " + header + "\n\n";
  std::set<std::string> written;
  const std::regex named("to_apply=([a-z]+)_([a-z0-9]+)");
  for (std::sregex_iterator it(lines.begin(), lines.end(), named), end; it != end; ++it) {
    std::string name = it->str(1) + "_" + it->str(2);
    if (!written.insert(name).second) continue;
    std::string scalar = it->str(2) + "[]";
    text += name + " {\n  a = " + scalar + " parameter(0)\n  b = " + scalar +
            " parameter(1)\n  ROOT r = " + scalar + " " + it->str(1) + "(a, b)\n}\n\n";
  }
  return text + "ENTRY main {\n" + lines + "}\n";
}

std::string in_groups(const std::string& groups, int channel) {
  return ", channel_id=" + std::to_string(channel) + ", replica_groups=" + groups +
         ", use_global_device_ids=true";
}

// ---- patterns ----

struct Saturated::Form {
  enum class What { kAnything, kName, kValues, kOperation } what = What::kAnything;
  std::string word;   // instruction name or opcode
  std::string shape;  // without layout; empty: any
  std::optional<std::vector<int64_t>> ints;
  std::vector<Form> children;

  static Form parse(const std::string& text) {
    size_t at = 0;
    Form form = parse(text, at);
    if (at != text.size()) throw std::logic_error("pattern ends early: " + text);
    return form;
  }

 private:
  static Form parse(const std::string& text, size_t& at) {
    Form form;
    std::string word = read_word(text, at);
    if (at < text.size() && text[at] == '[') {
      size_t end = text.find(' ', at);
      form.shape = word + text.substr(at, end - at);
      at = end + 1;
      word = read_word(text, at);
    }
    form.word = word;
    form.what = word == "_" ? What::kAnything : What::kName;
    if (at < text.size() && text[at] == '{') {
      form.what = word == "values" ? What::kValues : What::kOperation;
      size_t end = text.find('}', at);
      form.ints.emplace();
      std::istringstream list(text.substr(at + 1, end - at - 1));
      for (std::string value; std::getline(list, value, ',');)
        form.ints->push_back(std::stoll(value));
      at = end + 1;
    }
    if (at == text.size() || text[at] != '(') return form;
    form.what = What::kOperation;
    do {
      at += text[at] == ',' ? 2 : 1;
      if (text[at] != ')') form.children.push_back(parse(text, at));
    } while (at < text.size() && text[at] == ',');
    ++at;
    return form;
  }

  static std::string read_word(const std::string& text, size_t& at) {
    size_t end = text.find_first_of("([{}, )", at);
    std::string word = text.substr(at, end == std::string::npos ? end : end - at);
    at += word.size();
    return word;
  }
};

// ---- saturation ----

Saturated::Saturated(const std::string& text, const Setup& setup)
    : setup_(setup),
      module_(frontends::read_text(text, "test.hlo")),
      counts_(hlo::infer_device_counts(module_, setup.devices)),
      calls_(std::make_unique<hlo::CallGraph>(module_)),
      hlo_(std::make_unique<language::HloGraph>(counts_)) {
  hlo::verify_module(module_, counts_);
  hlo::Uniformity uniformity(module_, counts_, *calls_, {setup.assume_replicated});
  hlo::DeviceValues values(module_, counts_, *calls_);
  import_ = language::import_module(module_, {counts_, *calls_, uniformity, values},
                                    extract::collective_surroundings(module_), *hlo_);
  book_ = std::make_unique<RuleBook>(*hlo_, setup.rules, setup.families);
  report_ = saturate(*book_);
  CHECK(egraph::to_string(report_.stop) == "saturated");
}

hlo::InstructionId Saturated::id_of(const std::string& name) const {
  for (hlo::InstructionId id = 0; id < module_.instructions.size(); ++id) {
    if (module_[id].name == name && import_.class_of[id] != egraph::kNoId) return id;
  }
  throw std::logic_error("no instruction " + name);
}

ClassId Saturated::class_of(const std::string& name) const {
  return hlo_->graph().find(import_.class_of[id_of(name)]);
}

bool Saturated::same_class(const std::string& a, const std::string& b) const {
  return class_of(a) == class_of(b);
}

std::optional<NodeId> Saturated::match(ClassId cls, const Form& form,
                                       language::Selection* chosen) const {
  cls = hlo_->graph().find(cls);
  if (form.what == Form::What::kName) {
    if (cls != class_of(form.word)) return std::nullopt;
    return cls;
  }
  if (!form.shape.empty() && to_string_without_layout(hlo_->shape(cls)) != form.shape) {
    return std::nullopt;
  }
  if (form.what == Form::What::kAnything) return cls;
  if (form.what == Form::What::kValues) {
    const std::vector<int64_t>* values = hlo_->values(cls);
    if (!values || *values != *form.ints) return std::nullopt;
    return cls;
  }
  for (NodeId node : hlo_->graph().nodes(cls)) {
    if (!match_node(node, form, nullptr)) continue;
    if (chosen) {
      chosen->chosen[cls] = node;
      match_node(node, form, chosen);
    }
    return node;
  }
  return std::nullopt;
}

std::optional<NodeId> Saturated::match_node(NodeId node, const Form& form,
                                            language::Selection* chosen) const {
  const language::Operator& op = hlo_->op(node);
  auto children = hlo_->graph().children(node);
  if (!language::is_instruction(op.kind)) return std::nullopt;
  if (op.identity != hlo::kNoId || hlo::to_string(op.opcode) != form.word) return std::nullopt;
  if (form.ints && op.ints != *form.ints) return std::nullopt;
  if (children.size() != form.children.size()) return std::nullopt;
  for (size_t i = 0; i < children.size(); ++i) {
    if (!match(children[i], form.children[i], chosen)) return std::nullopt;
  }
  return node;
}

std::optional<NodeId> Saturated::find(const std::string& at, const std::string& pattern) const {
  return match(class_of(at), Form::parse(pattern), nullptr);
}

bool Saturated::refines_to(const std::string& at, const std::string& pattern) const {
  const Form form = Form::parse(pattern);
  std::vector<language::ClassId> reached{class_of(at)};
  for (size_t i = 0; i < reached.size(); ++i) {
    if (i > 0 && match(reached[i], form, nullptr)) return true;
    for (const egraph::Edge& edge : hlo_->graph().edges(reached[i])) {
      if (std::ranges::find(reached, edge.to) == reached.end()) reached.push_back(edge.to);
    }
  }
  return false;
}

std::string Saturated::groups(const std::string& at, const std::string& pattern) const {
  std::optional<NodeId> node = find(at, pattern);
  if (!node) return "not held";
  std::string text;
  for (const auto& group : hlo_->collective(*node).groups->groups) {
    std::string members;
    for (int64_t member : group) members += (members.empty() ? "" : ",") + std::to_string(member);
    text += (text.empty() ? "{" : ",{") + members + "}";
  }
  return "{" + text + "}";
}

hlo::Reducer Saturated::reducer(const std::string& at, const std::string& pattern) const {
  return hlo_->collective(find(at, pattern).value()).reducer.value();
}

std::map<std::string, uint64_t> Saturated::refused(const std::string& rule) const {
  std::map<std::string, uint64_t> all;
  bool is_known = false;
  for (egraph::Reason i = 0; i < report_.rules.size(); ++i) {
    if (report_.rules[i].name != rule && book_->info(i).name != rule) continue;
    is_known = true;
    for (const auto& [reason, count] : report_.rules[i].refused) all[reason] += count;
  }
  if (!is_known) throw std::logic_error("no rule " + rule);
  return all;
}

std::string Saturated::refusal(const std::string& rule) const {
  std::map<std::string, uint64_t> all = refused(rule);
  if (all.empty()) return "";
  return all.size() == 1 ? all.begin()->first : "several";
}

// ---- forms as programs ----

// Gives each class that the selection needs and the input does not hold its smallest definition.
void Saturated::define_what_is_new(language::Selection& selection) const {
  const egraph::EGraph& graph = hlo_->graph();
  const auto originals = language::originals_by_class(module_, import_, *hlo_);
  std::map<ClassId, uint64_t> size;
  std::map<ClassId, NodeId> smallest;
  for (ClassId cls : graph.classes()) size[cls] = originals.count(cls) ? 0 : 1'000'000;
  for (bool changed = true; changed;) {
    changed = false;
    for (ClassId cls : graph.classes()) {
      for (NodeId node : graph.nodes(cls)) {
        if (!language::is_instruction(hlo_->op(node).kind)) continue;
        uint64_t total = 1;
        for (ClassId child : graph.children(node)) total += size[graph.find(child)];
        if (total >= size[cls]) continue;
        size[cls] = total;
        smallest[cls] = node;
        changed = true;
      }
    }
  }
  std::vector<NodeId> pending;
  for (const auto& [cls, node] : selection.chosen) pending.push_back(node);
  while (!pending.empty()) {
    NodeId node = pending.back();
    pending.pop_back();
    for (ClassId name : graph.children(node)) {
      ClassId child = graph.find(name);
      if (originals.count(child) || selection.chosen.count(child)) continue;
      selection.chosen[child] = smallest.at(child);
      pending.push_back(smallest.at(child));
    }
  }
}

std::string Saturated::with_form(const std::string& at, const std::string& pattern) {
  language::Selection selection;
  const Form form = Form::parse(pattern);
  if (!match(class_of(at), form, &selection)) return "not held";
  if (form.what == Form::What::kName)
    selection.chosen[class_of(at)] = import_.node_of[id_of(form.word)];
  define_what_is_new(selection);
  auto exported = language::export_module(module_, import_, *hlo_, selection);
  if (!exported) return "a cycle";
  hlo::verify_module(exported->module, counts_);
  return frontends::write_text(exported->module);
}

void Saturated::check_bits(const hlo::Module& after) const {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (bool special : {false, true}) {
      verify::NumberOptions options;
      options.seed = seed;
      options.special_values = special;
      options.devices = setup_.devices;
      options.assume_replicated = setup_.assume_replicated;
      verify::NumberComparison same = verify::compare_on_numbers(module_, after, options);
      CHECK(same.reason == "");
      CHECK(same.elements > 0);
      CHECK(same.differing == 0);
    }
  }
}

void Saturated::check_form(const std::string& at, const std::string& pattern) {
  INFO(pattern);
  std::string text = with_form(at, pattern);
  INFO(text);
  REQUIRE(text.starts_with("HloModule"));
  hlo::Module after = frontends::read_text(text, "form.hlo");
  hlo::verify_module(after, counts_);
  CHECK(text != *module_.source);
  const bool is_reassoc = setup_.rules.numerics == hlo::Numerics::kReassoc;
  if (is_reassoc || setup_.rules.assume_finite) {
    const auto promise = is_reassoc ? optimizer::Promise::kReassoc : optimizer::Promise::kFinite;
    optimizer::Judgement judged = optimizer::Judge(module_).of(after, promise);
    CHECK(judged.text == "");
    CHECK(judged.verdict == optimizer::Judgement::kRight);
  } else {
    check_bits(after);
  }
  verify::Options options;
  options.level = verify::Options::Level::kFull;
  options.numerics = setup_.rules.numerics;
  options.assume_finite = setup_.rules.assume_finite;
  options.devices = setup_.devices;
  options.assume_replicated = setup_.assume_replicated;
  verify::Result proof = verify::compare(module_, after, options);
  for (const auto& unknown : proof.not_checked) CHECK(unknown.reason == "");
  for (const auto& apart : proof.differences) CHECK(apart.text == "");
  CHECK(proof.verdict == verify::Verdict::kSame);
}

}  // namespace flipsat::rules::testing
