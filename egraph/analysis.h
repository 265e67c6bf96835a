// E-class analysis: one datum a class, joined when classes merge and carried up to parents.
//
//   struct Constant { std::optional<int64_t> value; };
//
//   class Folding : public AnalysisOf<Constant> {
//    public:
//     Constant make(const EGraph& graph, NodeId node) const override;   // from the children's data
//     MergeResult merge(Constant& into, const Constant& from) const override;
//     void modify(EGraph& graph, ClassId cls) override;                 // may add the literal
//   };
//
//   EGraph graph(std::make_unique<Folding>());
//   graph.data<Constant>(cls).value;
//
// Law: `merge` is a join (associative, commutative, idempotent) and `make` is monotone in the
// children's data; then the data at the fix-point do not depend on the order of work.
//
// No chain of data may grow for ever: rebuilding goes on until nothing changes, and no limit ends
// it. `make` and `merge` must not throw; a graph in which one has is of no use. `modify` may.
//
// Snapshots (io/snapshot.h) keep data where `writes_data` says so and `write` and `read` say how.
//
// A fact that is known when a node is made (a shape) is handed over as the last argument of
// `EGraph::add` and `make` is not called. If data never flow from children to parents after birth,
// return false from `propagates` and nothing is paid for it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "egraph/ids.h"

namespace flipsat::egraph {

class EGraph;

// What a join of two data did, compared with either of them.
struct MergeResult {
  bool into_changed = false;  // the result differs from `into` as it was
  bool from_differs = false;  // the result differs from `from`
};

// The side that the engine sees; derive from AnalysisOf instead.
class Analysis {
 public:
  virtual ~Analysis() = default;

  // Does a change of a class's datum change what `make` says of the class's parents?
  virtual bool propagates() const { return true; }

  // Called on a class that is new or whose datum changed, when the graph is congruent. May add
  // nodes and merge classes, this one included.
  virtual void modify(EGraph& graph, ClassId cls) {
    (void)graph;
    (void)cls;
  }

  // Are data written to snapshots, by `write` and `read`? Those that are not are made again when
  // the snapshot is read, by `make` and `merge`.
  virtual bool writes_data() const { return false; }

 private:
  friend class EGraph;
  friend class Snapshot;
  // Appends the datum of the class born with `node`; `birth` points to the client's datum or is
  // null.
  virtual void on_birth(const EGraph& graph, NodeId node, const void* birth) = 0;
  virtual MergeResult on_merge(ClassId into, ClassId from) = 0;
  // Joins `birth`, or else `make(node)`, into the datum of `cls`; says whether it changed.
  virtual bool on_update(const EGraph& graph, NodeId node, ClassId cls, const void* birth) = 0;
  virtual uint64_t bytes() const = 0;
  // All data as they stand, and back to them.
  virtual std::shared_ptr<const void> save() const = 0;
  virtual void restore(const void* saved) = 0;
  // Data for so many names, none of them known; and that of one class, from its first node or from
  // bytes.
  virtual void reset(size_t names) = 0;
  virtual void make_first(const EGraph& graph, NodeId node, ClassId cls) = 0;
  virtual void write_datum(ClassId cls, std::string& bytes) const = 0;
  virtual void read_datum(ClassId cls, std::string_view bytes) = 0;
};

template <class Data>
class AnalysisOf : public Analysis {
  static_assert(!std::is_same_v<Data, bool>, "wrap a bool in a struct");

 public:
  // The datum of a node by its operator and its children's data. The node's own class has none yet.
  virtual Data make(const EGraph& graph, NodeId node) const = 0;
  virtual MergeResult merge(Data& into, const Data& from) const = 0;

  // Appends a datum to bytes; and gets it back from what it has appended. `read` throws (a
  // std::exception) at what `write` cannot have written: bytes may come from anywhere.
  virtual void write(const Data& datum, std::string& bytes) const {
    (void)datum;
    (void)bytes;
    throw std::logic_error("an analysis whose data are written does not say how");
  }
  virtual Data read(std::string_view bytes) const {
    (void)bytes;
    throw std::logic_error("an analysis whose data are written does not say how they are read");
  }

  // The datum of a canonical class. The reference stays good while the graph grows; what it refers
  // to changes when the class merges.
  const Data& of(ClassId cls) const { return data_[cls]; }

 private:
  void on_birth(const EGraph& graph, NodeId node, const void* birth) final {
    data_.emplace_back();
    if (birth != nullptr) {
      data_.back() = *static_cast<const Data*>(birth);
    } else {
      data_.back() = make(graph, node);
    }
  }
  MergeResult on_merge(ClassId into, ClassId from) final {
    const MergeResult result = merge(data_[into], data_[from]);
    data_[from] = Data();
    return result;
  }
  bool on_update(const EGraph& graph, NodeId node, ClassId cls, const void* birth) final {
    if (birth != nullptr) return merge(data_[cls], *static_cast<const Data*>(birth)).into_changed;
    return merge(data_[cls], make(graph, node)).into_changed;
  }
  uint64_t bytes() const final { return data_.size() * sizeof(Data); }
  std::shared_ptr<const void> save() const final {
    return std::make_shared<const std::deque<Data>>(data_);
  }
  void restore(const void* saved) final { data_ = *static_cast<const std::deque<Data>*>(saved); }
  void reset(size_t names) final { data_.assign(names, Data()); }
  void make_first(const EGraph& graph, NodeId node, ClassId cls) final {
    data_[cls] = make(graph, node);
  }
  void write_datum(ClassId cls, std::string& bytes) const final { write(data_[cls], bytes); }
  void read_datum(ClassId cls, std::string_view bytes) final { data_[cls] = read(bytes); }

  std::deque<Data> data_;  // by class id as born; a deque, so that references survive `add`
};

}  // namespace flipsat::egraph
