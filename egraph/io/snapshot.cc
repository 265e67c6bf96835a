#include "egraph/io/snapshot.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <istream>
#include <limits>
#include <numeric>
#include <ostream>
#include <stdexcept>

#include "egraph/io/snapshot_check.h"
#include "egraph/io/snapshot_forms.h"

namespace flipsat::egraph {

using snapshot::Extra;

namespace {

void require(bool holds, const char* fault) {
  if (!holds) throw std::runtime_error(fault);
}

}  // namespace

// What sees the inside of both the graph and its analysis.
class Snapshot {
 public:
  static void write(const EGraph& graph, std::ostream& out, SnapshotFormat format);
  static EGraph read(std::istream& in, std::unique_ptr<Analysis> analysis);

 private:
  static Extra extra_of(const EGraph& graph);
  static void write_data(const EGraph& graph, Extra& extra);

  static void restore_operators(EGraph& graph, const Extra& extra);
  static void restore_edges(EGraph& graph, const Extra& extra);
  static void restore_table(EGraph& graph);
  static void restore_data(EGraph& graph, const Extra& extra);
  static void read_data(EGraph& graph, const Extra& extra);
  static void make_data(EGraph& graph);
};

// ---- writing ----

void Snapshot::write(const EGraph& graph, std::ostream& out, SnapshotFormat format) {
  if (!graph.is_rebuilt()) throw std::logic_error("e-graph: a snapshot of what is not rebuilt");
  const Extra extra = extra_of(graph);
  if (format == SnapshotFormat::kJson) {
    snapshot::write_json(graph, extra, out);
  } else {
    snapshot::write_binary(graph, extra, out);
  }
  if (!out) throw std::ios_base::failure("a snapshot cannot be written");
}

Extra Snapshot::extra_of(const EGraph& graph) {
  Extra extra;
  const Operators& operators = graph.operators();
  for (OperatorId op = 0; op < operators.size(); ++op) {
    extra.operators.push_back(operators.kind(op));
    extra.operators.push_back(operators.payload(op));
  }
  for (size_t kind = 0; kind < graph.is_unordered_.size(); ++kind) {
    if (graph.is_unordered_[kind] != 0) extra.unordered.push_back(static_cast<uint32_t>(kind));
  }
  uint32_t* const words = extra.words.extend(graph.node_bound());
  for (NodeId node = 0; node < graph.node_bound(); ++node) {
    const ClassId name = graph.find(node);
    words[node] = name == node ? graph.words_[node] : name;
  }
  // In the order in which they were added, counted anew: so they are added again.
  extra.edges.assign(graph.edges_.all().begin(), graph.edges_.all().end());
  std::ranges::sort(extra.edges, {}, &Edge::order);
  for (uint32_t i = 0; i < extra.edges.size(); ++i) extra.edges[i].order = i;
  extra.has_history = graph.history_.is_kept ? 1 : 0;
  write_data(graph, extra);
  return extra;
}

void Snapshot::write_data(const EGraph& graph, Extra& extra) {
  extra.has_given_data = graph.given_data_ ? 1 : 0;
  const Analysis* const analysis = graph.analysis_.get();
  if (analysis == nullptr) return;
  if (!analysis->writes_data()) {
    if (graph.given_data_) {
      throw std::logic_error("e-graph: data came from the client, and the analysis writes none");
    }
    extra.data_form = snapshot::kDataByMake;
    return;
  }
  extra.data_form = snapshot::kDataWritten;
  for (const ClassId cls : graph.classes()) {
    const size_t before = extra.data.size();
    analysis->write_datum(cls, extra.data);
    extra.data_sizes.push_back(static_cast<uint32_t>(extra.data.size() - before));
  }
}

// ---- reading ----

EGraph Snapshot::read(std::istream& in, std::unique_ptr<Analysis> analysis) {
  EGraph graph;
  Extra extra;
  const int first = in.peek();
  require(first != std::char_traits<char>::eof(), "the file is empty");
  if (first == '{' || std::isspace(first) != 0) {
    snapshot::read_json(in, graph, extra);
  } else {
    snapshot::read_binary(in, graph, extra);
  }
  require(extra.has_history <= 1 && extra.has_given_data <= 1, "a flag is neither 0 nor 1");
  graph.words_ = std::move(extra.words);
  restore_operators(graph, extra);
  graph.history_.is_kept = extra.has_history != 0;
  check_arrays(graph);
  check_history(graph);
  restore_edges(graph, extra);
  restore_table(graph);
  try {
    graph.check();
  } catch (const std::logic_error& broken) {
    throw std::runtime_error(broken.what());
  }
  graph.analysis_ = std::move(analysis);
  restore_data(graph, extra);
  return graph;
}

void Snapshot::restore_operators(EGraph& graph, const Extra& extra) {
  constexpr uint32_t kMaxKind = std::numeric_limits<Kind>::max();
  require(extra.operators.size() % 2 == 0, "an operator has no payload");
  for (size_t i = 0; i < extra.operators.size(); i += 2) {
    require(extra.operators[i] <= kMaxKind, "the kind of an operator is out of range");
    const OperatorId op =
        graph.intern(static_cast<Kind>(extra.operators[i]), extra.operators[i + 1]);
    require(op == i / 2, "an operator is given twice");
  }
  for (const uint32_t kind : extra.unordered) {
    require(kind <= kMaxKind && !graph.is_unordered(static_cast<Kind>(kind)),
            "an unordered kind is out of range, or given twice");
    if (graph.is_unordered_.size() <= kind) graph.is_unordered_.resize(kind + 1);
    graph.is_unordered_[kind] = 1;
  }
}

void Snapshot::restore_edges(EGraph& graph, const Extra& extra) {
  const auto is_class = [&](ClassId name) {
    return name < graph.node_bound() && graph.find(name) == name;
  };
  for (const Edge& edge : extra.edges) {
    require(is_class(edge.from) && is_class(edge.to), "an edge is of no classes");
    require(graph.edges_.add(edge), "an edge is a loop, or given twice");
  }
  graph.edges_.rebuild([](ClassId name) { return name; });
}

// The hash-cons follows from the nodes.
void Snapshot::restore_table(EGraph& graph) {
  const auto none = [](NodeId) { return false; };
  const auto hash_of = [&](NodeId node) { return graph.key_of(node).hash; };
  const uint32_t bound = graph.node_bound();
  graph.table_.reserve(bound, 0, none, hash_of);
  // Honest nodes seldom share a hash; those of a file made for it could take quadratic time.
  uint64_t looks_left = uint64_t{64} * bound + 1024;
  constexpr uint32_t kAhead = 16;
  std::array<uint32_t, kAhead> hashes;
  for (NodeId begin = 0; begin < bound; begin += kAhead) {
    const uint32_t count = std::min(kAhead, bound - begin);
    for (uint32_t i = 0; i < count; ++i) {
      hashes[i] = hash_of(begin + i);
      graph.table_.prefetch(hashes[i]);
    }
    for (uint32_t i = 0; i < count; ++i) {
      const NodeId node = begin + i;
      if (!graph.is_live(node)) continue;
      const EGraph::Key key = graph.key_of(node);
      graph.table_.find(hashes[i], [&](NodeId) {
        require(looks_left-- > 0, "too many nodes share a hash");
        return false;
      });
      require(graph.find_node(key, graph.children(node)) == kNoId, "two nodes are congruent");
      graph.table_.insert(
          hashes[i], node, node, [&](NodeId id) { return graph.is_live(id); }, hash_of);
    }
  }
}

void Snapshot::restore_data(EGraph& graph, const Extra& extra) {
  require(extra.data_form <= snapshot::kDataWritten, "the form of the data is unknown");
  const bool is_written = extra.data_form == snapshot::kDataWritten;
  require(is_written || (extra.has_given_data == 0 && extra.data.empty()),
          "data of the client's are missing");
  require(extra.data_form != snapshot::kNoData || graph.to_modify_.empty(),
          "classes wait for no analysis");
  Analysis* const analysis = graph.analysis_.get();
  if (analysis == nullptr) {
    graph.to_modify_.clear();
    return;
  }
  analysis->reset(graph.node_bound());
  if (is_written) {
    require(analysis->writes_data(), "there are data that this analysis does not read");
    read_data(graph, extra);
  } else {
    make_data(graph);
  }
  // An analysis that the graph did not have sees all of its classes as new.
  if (extra.data_form == snapshot::kNoData) {
    for (const ClassId cls : graph.classes()) graph.to_modify_.push_back(cls);
  }
}

void Snapshot::read_data(EGraph& graph, const Extra& extra) {
  Analysis& analysis = *graph.analysis_;
  const std::vector<uint32_t>& sizes = extra.data_sizes;
  const uint64_t bytes = std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
  require(sizes.size() == graph.class_count() && bytes == extra.data.size(),
          "the data are more or less than one of each class");
  std::string_view left = extra.data;
  size_t next = 0;
  for (const ClassId cls : graph.classes()) {
    try {
      analysis.read_datum(cls, left.substr(0, sizes[next]));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& fault) {
      throw std::runtime_error("the datum of class " + std::to_string(cls) + ": " + fault.what());
    }
    left.remove_prefix(sizes[next++]);
  }
  graph.given_data_ = extra.has_given_data != 0;
  if (graph.given_data_ || !analysis.propagates()) return;
  for (NodeId node = 0; node < graph.node_bound(); ++node) {
    require(!graph.is_live(node) || !analysis.on_update(graph, node, graph.find(node), nullptr),
            "the data are not at their fix-point");
  }
}

// A class has an older node than its parents, so that in the order of nodes each finds the data of
// its children. These may grow later, which parents are then told.
void Snapshot::make_data(EGraph& graph) {
  Analysis& analysis = *graph.analysis_;
  std::vector<uint8_t> is_known(graph.node_bound()), is_waiting(graph.node_bound());
  std::vector<ClassId> waiting;
  const auto changed = [&](ClassId cls) {
    if (std::exchange(is_waiting[cls], 1) == 0) waiting.push_back(cls);
  };
  for (NodeId node = 0; node < graph.node_bound(); ++node) {
    if (!graph.is_live(node)) continue;
    const ClassId cls = graph.find(node);
    if (std::exchange(is_known[cls], 1) == 0) {
      analysis.make_first(graph, node, cls);
    } else if (analysis.on_update(graph, node, cls, nullptr)) {
      changed(cls);
    }
  }
  if (!analysis.propagates()) return;
  for (size_t next = 0; next < waiting.size(); ++next) {
    const ClassId cls = waiting[next];
    is_waiting[cls] = 0;
    for (const NodeId parent : graph.parents(cls)) {
      const ClassId above = graph.find(parent);
      if (analysis.on_update(graph, parent, above, nullptr)) changed(above);
    }
  }
}

void write_snapshot(const EGraph& graph, std::ostream& out, SnapshotFormat format) {
  Snapshot::write(graph, out, format);
}

EGraph read_snapshot(std::istream& in, const std::string& file,
                     std::unique_ptr<Analysis> analysis) {
  try {
    return Snapshot::read(in, std::move(analysis));
  } catch (const std::runtime_error& fault) {
    throw InputError({file, 0, 0}, fault.what());
  }
}

}  // namespace flipsat::egraph
