#include "optimizer/sites.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "language/node_text.h"

namespace flipsat::optimizer {
namespace {

using egraph::kNoId;
using language::ClassId;
using language::NodeId;

class SiteFinder {
 public:
  SiteFinder(const Inspection& inspection, size_t most_classes)
      : inspection_(inspection), graph_(inspection.graph()), most_(most_classes) {}

  std::vector<Site> run() {
    note_places();
    for (ClassId cls : graph_.classes()) {
      if (is_worth_a_look(cls)) active_.insert(cls);
    }
    connect();
    for (const language::Patch& patch : inspection_.patches()) {
      changed_.insert(inspection_.class_of(patch.at));
    }
    std::set<ClassId> seen;
    for (ClassId cls : active_) {
      if (seen.count(cls) > 0) continue;
      const std::vector<ClassId> part = reached({cls}, active_.size());
      seen.insert(part.begin(), part.end());
      add_part(part);
    }
    std::ranges::stable_sort(sites_, {}, [&](const Site& site) { return place(site.first); });
    for (size_t i = 0; i < sites_.size(); ++i) sites_[i].number = i + 1;
    return std::move(sites_);
  }

 private:
  void note_places() {
    place_.assign(inspection_.input().instructions.size(), ~size_t{0});
    size_t next = 0;
    for (hlo::ComputationId computation : inspection_.input().order) {
      for (hlo::InstructionId id : inspection_.input().computations[computation].instructions) {
        place_[id] = next++;
      }
    }
  }
  size_t place(hlo::InstructionId id) const { return id == hlo::kNoId ? ~size_t{0} : place_[id]; }

  bool is_constant(ClassId cls) const {
    for (NodeId node : graph_.nodes(cls)) {
      if (inspection_.hlo().op(node).kind == language::Kind::kConstant) return true;
    }
    return language::is_index_arithmetic(inspection_.hlo(), cls);
  }

  bool is_worth_a_look(ClassId cls) const {
    if (is_constant(cls)) return false;
    if (inspection_.originals(cls).empty() || !graph_.edges(cls).empty()) return true;
    const egraph::ClassNodes nodes = graph_.nodes(cls);
    return std::next(nodes.begin()) != nodes.end();
  }

  void connect() {
    for (ClassId cls : active_) {
      const auto join = [&](ClassId other) {
        other = graph_.find(other);
        if (other == cls || active_.count(other) == 0) return;
        beside_[cls].insert(other);
        beside_[other].insert(cls);
      };
      for (NodeId node : graph_.nodes(cls)) {
        for (ClassId child : graph_.children(node)) join(child);
      }
      for (const egraph::Edge& edge : graph_.edges(cls)) join(edge.to);
    }
  }

  // The nearest classes, at most `most`.
  std::vector<ClassId> reached(const std::vector<ClassId>& from, size_t most) const {
    std::vector<ClassId> all = from;
    std::set<ClassId> seen(from.begin(), from.end());
    for (size_t i = 0; i < all.size(); ++i) {
      const auto found = beside_.find(all[i]);
      if (found == beside_.end()) continue;
      for (ClassId next : found->second) {
        if (all.size() >= most) return all;
        if (seen.insert(next).second) all.push_back(next);
      }
    }
    return all;
  }

  void add_part(const std::vector<ClassId>& part) {
    if (part.size() <= most_) return add_site(part, part.size());
    std::vector<ClassId> seeds;
    for (ClassId cls : part) {
      if (changed_.count(cls) > 0) seeds.push_back(cls);
    }
    std::ranges::sort(seeds, {}, [&](ClassId cls) { return place(first_of(cls)); });
    if (seeds.empty()) return add_site(reached({part.front()}, most_), part.size());
    std::set<ClassId> covered;
    for (ClassId seed : seeds) {
      if (covered.count(seed) > 0) continue;
      const std::vector<ClassId> near = reached({seed}, std::max<size_t>(1, most_ / 4));
      covered.insert(near.begin(), near.end());
      add_site(near, part.size());
    }
  }

  hlo::InstructionId first_of(ClassId cls) const {
    const std::vector<hlo::InstructionId>& all = inspection_.originals(cls);
    return all.empty() ? hlo::kNoId : all.front();
  }

  void add_site(const std::vector<ClassId>& inside, size_t size_of_part) {
    Site site;
    site.left_out = size_of_part - inside.size();
    std::map<ClassId, bool> is_around;
    for (ClassId cls : inside) is_around[cls] = false;
    for (ClassId cls : inside) {
      for (NodeId node : graph_.nodes(cls)) {
        for (ClassId child : graph_.children(node)) is_around.try_emplace(graph_.find(child), true);
      }
      for (NodeId user : graph_.parents(cls)) {
        if (inspection_.is_in_output(user) || !inspection_.written_as(user).empty()) {
          is_around.try_emplace(graph_.find(user), true);
        }
      }
      for (const egraph::Edge& edge : graph_.edges(cls)) {
        is_around.try_emplace(graph_.find(edge.to), true);
      }
      const hlo::InstructionId first = first_of(cls);
      if (place(first) < place(site.first)) site.first = first;
    }
    for (ClassId cls : in_order(is_around)) {
      site.classes.push_back({cls, is_around.at(cls), forms_of(cls, is_around.at(cls))});
    }
    add_changes(is_around, site);
    site.likeness = likeness(site);
    sites_.push_back(std::move(site));
  }

  void add_changes(const std::map<ClassId, bool>& is_around, Site& site) const {
    const std::vector<language::Patch>& patches = inspection_.patches();
    for (size_t i = 0; i < patches.size(); ++i) {
      const auto found = is_around.find(inspection_.class_of(patches[i].at));
      if (found == is_around.end() || found->second) continue;
      const Change& change = inspection_.result().changes[i];
      site.changes.push_back(i);
      site.time_before += change.time_before;
      site.time_after += change.time_after;
      site.bytes_before += change.bytes_before;
      site.bytes_after += change.bytes_after;
    }
  }

  std::vector<NodeId> forms_of(ClassId cls, bool is_around) const {
    std::vector<NodeId> forms;
    for (NodeId node : graph_.nodes(cls)) forms.push_back(node);
    const auto rank = [&](NodeId node) {
      if (!inspection_.written_as(node).empty()) return 0;
      return inspection_.is_in_output(node) ? 1 : 2;
    };
    std::ranges::stable_sort(forms, {}, rank);
    if (is_around && forms.size() > 1) forms.resize(1);
    return forms;
  }

  // What the input and the output have; of a class that rules made, the form it was made as, which
  // reads older classes only. All forms together would go round in circles.
  std::vector<NodeId> forms_that_order(ClassId cls) const {
    std::vector<NodeId> forms;
    NodeId oldest = kNoId;
    for (NodeId node : graph_.nodes(cls)) {
      oldest = std::min(oldest, node);
      if (!inspection_.written_as(node).empty() || inspection_.is_in_output(node)) {
        forms.push_back(node);
      }
    }
    if (forms.empty()) forms.push_back(oldest);
    return forms;
  }

  // Operands before users.
  std::vector<ClassId> in_order(const std::map<ClassId, bool>& members) const {
    std::vector<ClassId> order;
    std::set<ClassId> seen;
    for (const auto& [root, around] : members) {
      std::vector<std::pair<ClassId, bool>> stack{{root, false}};
      while (!stack.empty()) {
        const auto [cls, is_done] = stack.back();
        stack.pop_back();
        if (is_done) {
          order.push_back(cls);
          continue;
        }
        if (!seen.insert(cls).second) continue;
        stack.emplace_back(cls, true);
        for (NodeId node : forms_that_order(cls)) {
          for (ClassId child : graph_.children(node)) {
            const ClassId found = graph_.find(child);
            if (members.count(found) > 0 && seen.count(found) == 0)
              stack.emplace_back(found, false);
          }
        }
      }
    }
    return order;
  }

  std::string likeness(const Site& site) const {
    std::string text;
    for (const SiteClass& one : site.classes) {
      text += one.is_around ? "(" : "[";
      for (NodeId node : one.forms) {
        const language::Operator& op = inspection_.hlo().op(node);
        text += std::string(hlo::to_string(op.opcode));
        if (op.shape.is_array()) text += std::string(hlo::to_string(op.shape.type));
        text += inspection_.is_in_output(node) ? "!" : "";
        text += inspection_.written_as(node).empty() ? "," : "*,";
      }
      text += "]";
    }
    return text + std::to_string(site.changes.size());
  }

  const Inspection& inspection_;
  const egraph::EGraph& graph_;
  const size_t most_;
  std::vector<size_t> place_;  // in the text, by instruction
  std::set<ClassId> active_;
  std::map<ClassId, std::set<ClassId>> beside_;
  std::set<ClassId> changed_;
  std::vector<Site> sites_;
};

}  // namespace

std::vector<Site> find_sites(const Inspection& inspection, size_t most_classes) {
  return SiteFinder(inspection, most_classes).run();
}

}  // namespace flipsat::optimizer
