// Operations under a sliding window.
#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::Dims;
using hlo::Opcode;

namespace {

// All index vectors below the sizes, the last one fastest.
class Odometer {
 public:
  explicit Odometer(Dims sizes) : at(sizes.size(), 0), sizes_(std::move(sizes)) {
    for (int64_t size : sizes_) done_ = done_ || size <= 0;
  }
  bool done() const { return done_; }
  void step() {
    for (size_t i = sizes_.size(); i > 0; --i) {
      if (++at[i - 1] < sizes_[i - 1]) return;
      at[i - 1] = 0;
    }
    done_ = true;
  }

  Dims at;

 private:
  Dims sizes_;
  bool done_ = false;
};

Dims sizes_of(const hlo::Window& window) {
  Dims sizes;
  for (const hlo::WindowDim& dim : window) sizes.push_back(dim.size);
  return sizes;
}

Dims coordinates_of(int64_t index, const Dims& dims) {
  Dims at(dims.size());
  coordinates(index, hlo::row_major_strides(dims), dims, at.data());
  return at;
}

// The elements that the window at `result` covers, padding left out, in order.
std::vector<int64_t> covered(const hlo::Window& window, const Dims& result, const Dims& array) {
  Dims strides = hlo::row_major_strides(array);
  std::vector<int64_t> indices;
  for (Odometer in(sizes_of(window)); !in.done(); in.step()) {
    int64_t index = 0;
    bool inside = true;
    for (size_t i = 0; i < window.size() && inside; ++i) {
      std::optional<int64_t> at = window[i].source(result[i], in.at[i], array[i]);
      inside = at.has_value();
      if (inside) index += *at * strides[i];
    }
    if (inside) indices.push_back(index);
  }
  return indices;
}

}  // namespace

// Padding holds the initial value, which a reducer ignores.
std::optional<Term> Evaluator::compute_reduce_window(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const Dims& array = module_[module_[place.instruction].operands[0]].shape.dims;
  Dims at = coordinates_of(place.index, shape_of(place).dims);
  return reduced(place, covered(plan.window, at, array));
}

std::optional<Term> Evaluator::compute_convolution(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  const hlo::ConvolutionDims& dims = plan.convolution;
  const Dims& input = module_[in.operands[0]].shape.dims;
  const Dims& kernel = module_[in.operands[1]].shape.dims;
  Dims input_strides = hlo::row_major_strides(input);
  Dims kernel_strides = hlo::row_major_strides(kernel);
  Dims at = coordinates_of(place.index, in.shape.dims);
  int64_t made = in.shape.dims[dims.output_feature];
  int64_t feature = at[dims.output_feature];
  int64_t features = kernel[dims.kernel_input_feature];  // of one group
  int64_t feature_groups = in.int_attribute(hlo::AttributeKey::kFeatureGroupCount, 1);
  int64_t batch_groups = in.int_attribute(hlo::AttributeKey::kBatchGroupCount, 1);
  int64_t first_feature = feature / (made / feature_groups) * features;
  int64_t batch = feature / (made / batch_groups) * (input[dims.input_batch] / batch_groups) +
                  at[dims.output_batch];
  int64_t input_base =
      batch * input_strides[dims.input_batch] + first_feature * input_strides[dims.input_feature];
  int64_t kernel_base = feature * kernel_strides[dims.kernel_output_feature];

  std::vector<Term> left, right;
  bool known = true;
  for (Odometer tap(sizes_of(plan.window)); !tap.done(); tap.step()) {
    int64_t input_at = input_base, kernel_at = kernel_base;
    bool inside = true;
    for (size_t i = 0; i < plan.window.size() && inside; ++i) {
      const hlo::WindowDim& dim = plan.window[i];
      int64_t size = input[dims.input_spatial[i]];
      std::optional<int64_t> source = dim.source(at[dims.output_spatial[i]], tap.at[i], size);
      inside = source.has_value();
      if (!inside) break;
      int64_t from_kernel = dim.reversed ? dim.size - 1 - tap.at[i] : tap.at[i];
      input_at += *source * input_strides[dims.input_spatial[i]];
      kernel_at += from_kernel * kernel_strides[dims.kernel_spatial[i]];
    }
    work_.spend(1);
    if (!inside) continue;
    work_.spend(features);
    for (int64_t f = 0; f < features; ++f) {
      std::optional<Term> a =
          want(at_operand(place, 0, input_at + f * input_strides[dims.input_feature]));
      std::optional<Term> b =
          want(at_operand(place, 1, kernel_at + f * kernel_strides[dims.kernel_input_feature]));
      known = known && a && b;
      if (!known) continue;
      left.push_back(*a);
      right.push_back(*b);
    }
  }
  if (!known) return std::nullopt;
  return domain_.contract(plan.contraction, left, right);
}

// Every source element is scattered to the element that `select` picks in its window. Which one
// that is decides the values: where they are not known, the result is a function of all that lies
// in the windows around it.
std::optional<Term> Evaluator::compute_select_and_scatter(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  const Dims& array = in.shape.dims;
  const Dims& source = module_[in.operands[1]].shape.dims;
  Dims at = coordinates_of(place.index, array);
  auto one = [&](hlo::AttributeKey key) {
    const hlo::Attribute* attribute = in.find(key);
    const auto* list = attribute ? std::get_if<hlo::ComputationList>(&attribute->value) : nullptr;
    if (!list || list->size() != 1) throw Unmodelled("a select-and-scatter without computations");
    return (*list)[0];
  };
  hlo::ComputationId select = one(hlo::AttributeKey::kSelect);
  hlo::ComputationId scatter = one(hlo::AttributeKey::kScatter);

  // Windows that may pick this element: by dim, those that cover its coordinate.
  std::vector<std::vector<int64_t>> windows(array.size());
  for (size_t i = 0; i < array.size(); ++i) {
    const hlo::WindowDim& dim = plan.window[i];
    work_.spend(source[i]);
    for (int64_t s = 0; s < source[i]; ++s) {
      bool covers = false;
      for (int64_t k = 0; k < dim.size && !covers; ++k)
        covers = dim.source(s, k, array[i]) == at[i];
      if (covers) windows[i].push_back(s);
    }
  }
  Dims counts;
  for (const auto& list : windows) counts.push_back(static_cast<int64_t>(list.size()));
  Dims source_strides = hlo::row_major_strides(source);
  std::optional<Term> total = operand_scalar(place, 2);
  bool known = total.has_value();
  bool decided = true;
  std::vector<Term> all;
  if (known) all.push_back(*total);
  for (Odometer pick(counts); !pick.done(); pick.step()) {
    Dims window_at(array.size());
    int64_t source_index = 0;
    for (size_t i = 0; i < array.size(); ++i) {
      window_at[i] = windows[i][pick.at[i]];
      source_index += window_at[i] * source_strides[i];
    }
    std::vector<int64_t> indices = covered(plan.window, window_at, array);
    work_.spend(static_cast<int64_t>(indices.size()) + 1);
    std::optional<Term> scattered = want(at_operand(place, 1, source_index));
    known = known && scattered;
    std::vector<Term> elements;
    for (int64_t index : indices) {
      std::optional<Term> element = want(at_operand(place, 0, index));
      known = known && element;
      if (known) elements.push_back(*element);
    }
    if (!known) continue;
    // Where this element stands in the window counts for the function as well.
    size_t own = 0;
    while (own < indices.size() && indices[own] != place.index) ++own;
    all.push_back(Term::integer(static_cast<int64_t>(own)));
    all.push_back(*scattered);
    all.insert(all.end(), elements.begin(), elements.end());
    size_t picked = 0;
    for (size_t i = 1; i < elements.size() && decided; ++i) {
      Term pair[] = {elements[picked], elements[i]};
      std::vector<Term> keeps = apply(select, pair);
      decided = keeps.size() == 1 && keeps[0].is_known();
      if (decided && !keeps[0].bits) picked = i;
    }
    if (!decided || picked != own) continue;
    Term pair[] = {*scattered, *total};
    std::vector<Term> sum = apply(scatter, pair);
    if (sum.size() != 1) throw Unmodelled("a select-and-scatter of several values");
    total = sum[0];
  }
  if (!known) return std::nullopt;
  if (decided) return total;
  // The function is told apart from others by what its computations make of fresh symbols.
  Term fresh[] = {Term::symbol(mix(0x5e1ec7), in.shape.type),
                  Term::symbol(mix(0x5ca77e6), in.shape.type)};
  uint64_t tag = static_cast<uint64_t>(Opcode::kSelectAndScatter);
  for (hlo::ComputationId computation : {select, scatter}) {
    for (const Term& term : apply(computation, fresh)) tag = combine(tag, hash(term));
  }
  return opaque(place, tag, in.shape.type, all);
}

}  // namespace flipsat::verify
