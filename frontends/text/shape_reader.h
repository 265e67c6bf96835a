// Shapes of HLO text: `f32[2,<=3]{1,0:T(8,128)}`, `(s32[], /*index=5*/...)`, `b(f32[4])`.
//
// Layouts that are spelled alike are shared.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <string_view>

#include "frontends/text/scanner.h"
#include "hlo/shape.h"

namespace flipsat::frontends {

class ShapeReader {
 public:
  explicit ShapeReader(Scanner& scanner) : in_(scanner) {}

  // Does a shape stand here? (A word counts only where a bracket follows.)
  bool starts_shape();
  hlo::Shape read() { return read(0); }

 private:
  hlo::Shape read(int depth);
  hlo::Shape read_tuple(int depth);
  void read_dims(hlo::Shape& shape);
  std::shared_ptr<const hlo::Layout> read_layout(int rank);
  void read_extras(hlo::Layout& layout);
  void read_int_list(std::string_view what);

  Scanner& in_;
  boost::unordered_flat_map<std::string_view, std::shared_ptr<const hlo::Layout>> layouts_;
};

// Do two shapes describe the same value, layouts and dynamic dims aside?
bool compatible(const hlo::Shape& a, const hlo::Shape& b);

}  // namespace flipsat::frontends
