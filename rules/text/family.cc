#include "rules/text/family.h"

#include "rules/text/matched.h"

namespace flipsat::rules::text {
namespace {

// One pattern of a direction: with so many start indices, these commutative operations turned.
struct Variant {
  Direction direction;
  PatternNames names;
  unsigned turned = 0;  // by commutative operation, in pre-order
};

bool looks_alike(const Term& a, const Term& b) {
  if (a.form != b.form || a.row != b.row || a.operands.size() != b.operands.size()) return false;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    if (!looks_alike(a.operands[i], b.operands[i])) return false;
  }
  return true;
}

// Matching it both ways round finds more than the same with names exchanged.
bool wants_turning(const Term& term) {
  return term.row->is_named_elementwise() && hlo::is_commutative(*term.row->opcode) &&
         !looks_alike(term.operands[0], term.operands[1]);
}

class PatternMaker {
 public:
  explicit PatternMaker(const Variant& variant) : variant_(variant) {}

  Pattern make(const Term& term) {
    if (term.form == Term::Form::kOperand) return ClassVar{name_of(term.variable)};
    const OpVar name{variant_.direction.nodes[node_++].name};
    const bool is_turned = wants_turning(term) && (variant_.turned >> commutative_++ & 1);
    std::vector<Pattern> children;
    for (const Term& operand : term.operands) {
      if (operand.form == Term::Form::kStarts) {
        for (const std::string& start : starts_of(operand.variable)) {
          children.emplace_back(ClassVar{start});
        }
      } else {
        children.push_back(make(operand));
      }
    }
    if (is_turned) std::swap(children[0], children[1]);
    Pattern pattern =
        egraph::node(language::kind_number(term.row->kind), name, std::move(children));
    if (term.variable < 0) return pattern;
    return std::move(pattern).as(ClassVar{name_of(term.variable)});
  }

 private:
  const std::string& name_of(int variable) const { return variant_.names.operands[variable]; }
  const std::vector<std::string>& starts_of(int variable) const {
    for (const StartNames& starts : variant_.names.starts) {
      if (starts.variable == variable) return starts.names;
    }
    throw std::logic_error("start indices without names");
  }

  const Variant& variant_;
  size_t node_ = 0;
  unsigned commutative_ = 0;
};

int count_turnings(const Term& term) {
  if (term.form != Term::Form::kOperation) return 0;
  int count = wants_turning(term) ? 1 : 0;
  for (const Term& operand : term.operands) count += count_turnings(operand);
  return count;
}

// Are the matched elementwise operations the named ones? Those of other names are no match, and no
// refusal to count.
bool has_named_opcodes(const HloGraph& hlo, const Variant& variant, const Match& match) {
  for (const MatchedNode& node : variant.direction.nodes) {
    const OperatorRow& row = *node.term->row;
    if (row.is_named_elementwise() && hlo.op(match.node(OpVar{node.name})).opcode != *row.opcode) {
      return false;
    }
  }
  return true;
}

constexpr const char* kOtherShape = "the other side would have another shape";
constexpr const char* kNotWellFormed = "the other side would not be well formed";

const char* why_not(const HloGraph& hlo, const Match& match, Matched& matched) {
  if (const char* reason = matched.bind()) return reason;
  std::optional<hlo::Shape> shape = matched.right_shape();
  if (!shape) return kNotWellFormed;
  return *shape == hlo.shape(match.root()) ? nullptr : kOtherShape;
}

void add_variant(RuleBook& book, const std::string& name, Variant made) {
  auto variant = std::make_shared<const Variant>(std::move(made));
  HloGraph& h = book.hlo();
  const bool is_refined = variant->direction.rule->relation == Relation::kRefined;
  book.add(book.rule(name, PatternMaker(*variant).make(*variant->direction.from))
               .follow({},
                       [&h, variant](const Match& m, const egraph::Rule::Found& found) {
                         if (has_named_opcodes(h, *variant, m)) found({});
                       })
               .where([&h, variant](const Match& m) -> Verdict {
                 Matched matched(h, variant->direction, variant->names, m);
                 return {why_not(h, m, matched)};
               })
               .then([&h, variant, is_refined](EGraph& graph, const Match& m) -> Outcome {
                 Matched matched(h, variant->direction, variant->names, m);
                 if (const char* reason = why_not(h, m, matched)) return refuse(reason);
                 std::optional<ClassId> right = matched.add_right(h);
                 if (!right)
                   return refuse("the other side cannot be written in this mode of groups");
                 if (!is_refined) return *right;
                 if (graph.find(*right) == m.root()) return Outcome::nothing();
                 graph.add_edge(m.root(), *right);
                 return Outcome::done();
               }));
}

void add_turnings(RuleBook& book, const std::string& name, const Variant& variant) {
  const int turnings = std::min(count_turnings(*variant.direction.from), 3);
  for (unsigned turned = 0; turned < 1u << turnings; ++turned) {
    Variant one = variant;
    one.turned = turned;
    add_variant(book, turned == 0 ? name : name + "/turned" + std::to_string(turned),
                std::move(one));
  }
}

// With every number of start indices.
void add_ranks(RuleBook& book, const std::string& name, const Variant& variant) {
  const std::vector<int>& starts = variant.direction.starts;
  if (variant.names.starts.size() == starts.size()) return add_turnings(book, name, variant);
  const int variable = starts[variant.names.starts.size()];
  for (int rank = 1; rank <= kMaxRank; ++rank) {
    Variant ranked = variant;
    StartNames names{variable, {}};
    for (int dim = 0; dim < rank; ++dim) {
      names.names.push_back(variant.names.operands[variable] + "#" + std::to_string(dim));
    }
    ranked.names.starts.push_back(std::move(names));
    add_ranks(book, name + "/rank" + std::to_string(rank), ranked);
  }
}

void add_directions(RuleBook& book, const TextRuleRef& rule) {
  for (Direction& direction : directions_of(rule)) {
    Variant variant;
    for (size_t i = 0; i < rule->variables.size(); ++i) {
      variant.names.operands.push_back(rule->variables[i].name + "@" + std::to_string(i));
    }
    std::string name = direction.name;
    variant.direction = std::move(direction);
    add_ranks(book, name, variant);
  }
}

}  // namespace

Family family_of(const TextRuleRef& rule) {
  return {{.name = rule->name,
           .family = "written as text",
           .equation = rule->equation,
           .condition = rule->condition.empty() ? "none" : rule->condition,
           .numerics = rule->numerics,
           .order_open = rule->order_open,
           .both_directions = rule->relation == Relation::kEqual},
          [rule](RuleBook& book) { add_directions(book, rule); }};
}

}  // namespace flipsat::rules::text
