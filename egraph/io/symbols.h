// Names for operators, for clients whose terms are text.
//
//   Symbols symbols;
//   const SymbolId plus = symbols.head("+"), x = symbols.leaf("x");
//   const ClassId cls = graph.add(symbols.intern(graph, x));
//   graph.add(symbols.intern(graph, plus), {cls, cls});
//   symbols.name(graph.op(cls));                                 // "x"
//
// A head is a name with children: each has a kind of its own, from 1 on in the order of first use,
// so that patterns match on it. A leaf is a name without: all leaves are of kind 0, the payload is
// the leaf's number. The same name may be both, as two operators.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "egraph/egraph.h"

namespace flipsat::egraph {

// A head or a leaf; dense from 0 in the order of first use.
using SymbolId = uint32_t;

// A copy of many strings that stays where it is, also when moved: views of it are good for as long
// as it lives.
class NameStore {
 public:
  std::string_view keep(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t used_ = 0;
  size_t size_ = 0;  // of the last chunk
};

class Symbols {
 public:
  static constexpr Kind kLeaf = 0;
  static constexpr uint32_t kMaxHeads = UINT16_MAX;

  Symbols() = default;
  // Rules and names hold views of it.
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  Symbols(Symbols&&) = default;
  Symbols& operator=(Symbols&&) = default;

  SymbolId leaf(std::string_view name);
  // Throws std::length_error beyond kMaxHeads.
  SymbolId head(std::string_view name);
  // kNoId if there is none.
  SymbolId find_leaf(std::string_view name) const;
  SymbolId find_head(std::string_view name) const;
  bool can_add_head() const { return heads_.size() < kMaxHeads; }

  uint32_t size() const { return static_cast<uint32_t>(symbols_.size()); }
  std::string_view name(SymbolId symbol) const { return symbols_[symbol].name; }
  Kind kind(SymbolId symbol) const { return symbols_[symbol].kind; }
  bool is_leaf(SymbolId symbol) const { return kind(symbol) == kLeaf; }

  // The children that a head was first read with, or was declared to have; kNoId: not known. For
  // readers, which refuse another number; nothing else looks at it.
  uint32_t arity(SymbolId symbol) const { return symbols_[symbol].arity; }
  void set_arity(SymbolId symbol, uint32_t arity) { symbols_[symbol].arity = arity; }

  OperatorId intern(EGraph& graph, SymbolId symbol) const {
    return graph.intern(symbols_[symbol].kind, symbols_[symbol].payload);
  }
  // By symbol.
  std::vector<OperatorId> intern_all(EGraph& graph) const;
  // Of an operator, or of a node's operator, that one of these interned.
  SymbolId symbol(Kind kind, uint32_t payload) const {
    return kind == kLeaf ? leaves_[payload] : heads_[kind - 1];
  }
  std::string_view name(const EGraph& graph, NodeId node) const {
    return name(symbol(graph.kind(node), graph.payload(node)));
  }

  // The name of a variable of rules, kept for as long as this.
  std::string_view variable(std::string_view name);

 private:
  struct Symbol {
    std::string_view name;
    Kind kind;
    uint32_t payload;
    uint32_t arity;
  };
  struct Uses {
    SymbolId leaf = kNoId;
    SymbolId head = kNoId;
  };
  using Names = boost::unordered_flat_map<std::string_view, Uses>;

  // The entry of a name, its key kept.
  Names::value_type& entry(std::string_view name);
  SymbolId add(std::string_view kept, Kind kind, uint32_t payload);

  NameStore store_;
  std::vector<Symbol> symbols_;
  std::vector<SymbolId> leaves_;  // by payload
  std::vector<SymbolId> heads_;   // by kind - 1
  Names names_;                   // look-up only, never iterated
  boost::unordered_flat_map<std::string_view, std::string_view> variables_;
};

}  // namespace flipsat::egraph
