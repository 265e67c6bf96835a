// Nodes and chosen terms as text, for people.
//
//   to_string(graph, node, names_of(graph, symbols));       // "(+ #3 #4)": children by their class
//   term_text(graph, best, root, names_of(graph, symbols)); // "(+ x (* x 2))"
//
// A name with spaces, parentheses or quotes in it, or none at all, stands in quotes.
#pragma once

#include <functional>
#include <string>

#include "egraph/extract.h"
#include "egraph/io/symbols.h"

namespace flipsat::egraph {

// What a node's operator is called.
using NodeNames = std::function<std::string(NodeId)>;

// Both must outlive the function.
NodeNames names_of(const EGraph& graph, const Symbols& symbols);

std::string to_string(const EGraph& graph, NodeId node, const NodeNames& names);

// The term chosen for a class. Sharing is written out: a term that would so have more than
// `max_nodes` nodes is written as a line
//
//   let $1 = (* x x)
//
// for each node that is used more than once and has children, and the term over these last. The
// length is then that of the graph. Throws std::logic_error if the class cannot be had.
std::string term_text(const EGraph& graph, const Extraction& chosen, ClassId root,
                      const NodeNames& names, uint64_t max_nodes = 10'000);

// A name as it stands in such text.
std::string printed_name(std::string name);

}  // namespace flipsat::egraph
