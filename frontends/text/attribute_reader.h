// Values of attributes that need no names: numbers, words, lists, groups, and raw text.
#pragma once

#include "frontends/text/groups_reader.h"
#include "frontends/text/scanner.h"
#include "frontends/text/shape_reader.h"
#include "hlo/attribute.h"

namespace flipsat::frontends {

class AttributeReader {
 public:
  AttributeReader(Scanner& scanner, ShapeReader& shapes)
      : in_(scanner), shapes_(shapes), groups_(scanner) {}

  // Reads what stands after `name=`. Not for kComputation, kComputations, kInstructions.
  hlo::AttributeValue read(hlo::AttributeKey key);

 private:
  std::string read_word(hlo::AttributeKey key);
  double read_float();
  hlo::IntLists read_pairs();
  hlo::SliceDims read_slice();
  hlo::PaddingDims read_padding();

  Scanner& in_;
  ShapeReader& shapes_;
  GroupsReader groups_;
};

}  // namespace flipsat::frontends
