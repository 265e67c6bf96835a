// The part of node_ranges.h that needs the e-graph; included by egraph.h.
#pragma once

#include "egraph/egraph.h"

namespace flipsat::egraph {

inline ClassNodes::Iterator::Iterator(const EGraph& graph, ClassId name)
    : graph_(&graph), name_(name), at_(name) {
  if (!graph.is_live(at_)) step();
}

inline ClassNodes::Iterator& ClassNodes::Iterator::operator++() {
  step();
  return *this;
}

inline void ClassNodes::Iterator::step() {
  do {
    at_ = graph_->class_links_[at_].next;
    if (at_ == name_) {
      at_ = kNoId;
      return;
    }
  } while (!graph_->is_live(at_));
}

inline ParentNodes::Iterator::Iterator(const EGraph& graph, ClassId name)
    : graph_(&graph), name_(name), entry_(graph.first_parent(name)) {
  settle();
}

inline ParentNodes::Iterator& ParentNodes::Iterator::operator++() {
  entry_ = graph_->next_parent(entry_);
  settle();
  return *this;
}

inline void ParentNodes::Iterator::settle() {
  for (; entry_ != EGraph::kNoEntry; entry_ = graph_->next_parent(entry_)) {
    node_ = graph_->node_of(entry_);
    if (graph_->is_live(node_) && graph_->is_first_entry(entry_, node_, name_)) return;
  }
  entry_ = kNoId;
  node_ = kNoId;
}

}  // namespace flipsat::egraph
