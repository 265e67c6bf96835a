#include "hlo/common_attributes.h"

#include <algorithm>

namespace flipsat::hlo {

void set_common_attribute(Instruction& instruction, const Attribute& attribute) {
  instruction.touched = true;
  for (Attribute& existing : instruction.attributes) {
    if (existing.key != attribute.key) continue;
    existing = attribute;
    return;
  }
  auto after = std::find_if(instruction.attributes.begin(), instruction.attributes.end(),
                            [&](const Attribute& other) { return other.key > attribute.key; });
  instruction.attributes.insert(after, attribute);
}

}  // namespace flipsat::hlo
