// What one match of a direction binds, and its other side.
#pragma once

#include <string>
#include <vector>

#include "rules/text/direction.h"
#include "rules/vocabulary.h"

namespace flipsat::rules::text {

// Names of a pattern's class variables.
struct StartNames {
  int variable;
  std::vector<std::string> names;  // one a start index
};
struct PatternNames {
  std::vector<std::string> operands;  // by variable
  std::vector<StartNames> starts;
};

class Matched {
 public:
  Matched(const HloGraph& hlo, const Direction& direction, const PatternNames& names,
          const Match& match);

  // Runs the steps. Null where all conditions hold; else the reason, owned by the direction.
  const char* bind();
  // The shape of the other side (after bind), nullopt where it is not well formed.
  std::optional<hlo::Shape> right_shape() const { return shape(*direction_.to); }
  // Adds the other side to the graph, which is the one that was matched; nullopt where a collective
  // or a shard cannot be written.
  std::optional<ClassId> add_right(HloGraph& hlo) const { return add(hlo, *direction_.to); }

 private:
  const char* take(const Step& step);
  std::optional<hlo::Shape> shape(const Term& term) const;
  std::optional<ClassId> add(HloGraph& hlo, const Term& term) const;
  std::optional<ClassId> add_operation(HloGraph& hlo, const Term& term, const Values& attributes,
                                       const std::vector<ClassId>& operands) const;
  // Nothing where an attribute has no value.
  std::optional<Values> attributes_of(const Term& term) const;
  Value function_like(const Term& term) const;
  std::vector<NodeId> sources_of(const Term& term) const;
  NodeId model_of(const Term& term, hlo::Opcode opcode) const;
  NodeId node(size_t index) const { return match_.node(OpVar{direction_.nodes[index].name}); }

  const HloGraph& hlo_;
  const Direction& direction_;
  const Match& match_;
  std::unique_ptr<Known> known_;
  Values variables_;
};

}  // namespace flipsat::rules::text
