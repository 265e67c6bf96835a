// Plans of windowed operations and of scatters.
#include <algorithm>

#include "verify/plan.h"

namespace flipsat::verify {

using hlo::AttributeKey;
using hlo::Dims;
using hlo::IntList;

namespace {

// Positions and products of sizes stay far from overflow.
constexpr int64_t kMostInDim = int64_t{1} << 30;
constexpr int64_t kMostPositions = int64_t{1} << 22;

bool contains(const IntList& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool in_range(const IntList& list, size_t rank) {
  return std::all_of(list.begin(), list.end(),
                     [&](int64_t dim) { return dim >= 0 && dim < static_cast<int64_t>(rank); });
}

void require(bool holds, const char* reason) {
  if (!holds) throw Unmodelled(reason);
}

void require_moderate(const Dims& dims) {
  for (int64_t size : dims) require(size < kMostInDim, "an array of that size under a window");
}

}  // namespace

void plan_window(const hlo::Module& module, const hlo::Instruction& in, Plan& plan) {
  const hlo::Shape& array = module[in.operands.at(0)].shape;
  std::optional<hlo::Window> window = hlo::window_of(in, array.dims.size());
  require(window.has_value(), "a window of another rank");
  // What one window makes: a result, or of select-and-scatter a source element.
  bool scatters = in.opcode == hlo::Opcode::kSelectAndScatter;
  const hlo::Shape& made = scatters ? module[in.operands.at(1)].shape : part_shape(in.shape, 0);
  require(made.dims.size() == array.dims.size(), "a window of another rank");
  // Of reduce-window all arrays, and all results, are alike.
  for (size_t v = 0; !scatters && v < in.operands.size() / 2; ++v) {
    require(module[in.operands[v]].shape.dims == array.dims &&
                part_shape(in.shape, static_cast<uint32_t>(v)).dims == made.dims,
            "a window over arrays of different dims");
  }
  require(!scatters || in.shape.dims == array.dims, "a scatter of another result");
  require_moderate(array.dims);
  require_moderate(made.dims);
  int64_t positions = 1;
  for (const hlo::WindowDim& dim : *window) {
    require(dim.size <= kMostPositions, "a window of that size");
    positions *= dim.size;
    require(positions <= kMostPositions, "a window of that size");
  }
  plan.window = std::move(*window);
}

void plan_convolution(const hlo::Module& module, const hlo::Instruction& in, Plan& plan) {
  const Dims& input = module[in.operands.at(0)].shape.dims;
  const Dims& kernel = module[in.operands.at(1)].shape.dims;
  std::optional<hlo::ConvolutionDims> dims =
      hlo::convolution_dims(in.raw_text(AttributeKey::kDimLabels));
  require(dims.has_value(), "a convolution without dim labels");
  size_t spatial = dims->input_spatial.size();
  require(input.size() == spatial + 2 && kernel.size() == spatial + 2 &&
              in.shape.dims.size() == spatial + 2,
          "a convolution of another rank");
  std::optional<hlo::Window> window = hlo::window_of(in, spatial);
  require(window.has_value(), "a window of another rank");
  for (const Dims* list : {&input, &kernel, &in.shape.dims}) require_moderate(*list);
  int64_t features = in.int_attribute(AttributeKey::kFeatureGroupCount, 1);
  int64_t batches = in.int_attribute(AttributeKey::kBatchGroupCount, 1);
  int64_t made = in.shape.dims[dims->output_feature];
  require(features > 0 && batches > 0 && made % features == 0 && made % batches == 0 &&
              input[dims->input_batch] == in.shape.dims[dims->output_batch] * batches &&
              input[dims->input_feature] == kernel[dims->kernel_input_feature] * features &&
              kernel[dims->kernel_output_feature] == made,
          "a convolution whose groups do not fit");
  for (size_t i = 0; i < spatial; ++i) {
    require((*window)[i].size == kernel[dims->kernel_spatial[i]], "a window of another size");
  }
  plan.window = std::move(*window);
  plan.convolution = std::move(*dims);
  plan.contraction = contraction_of(module, in);
}

void require_gather(const hlo::Module& module, const hlo::Instruction& in) {
  const Dims& operand = module[in.operands.at(0)].shape.dims;
  const Dims& indices = module[in.operands.at(1)].shape.dims;
  const IntList& offset_dims = in.ints(AttributeKey::kOffsetDims);
  const IntList& collapsed = in.ints(AttributeKey::kCollapsedSliceDims);
  const IntList& start_map = in.ints(AttributeKey::kStartIndexMap);
  const IntList& batching = in.ints(AttributeKey::kOperandBatchingDims);
  const IntList& index_batching = in.ints(AttributeKey::kStartIndicesBatchingDims);
  std::vector<int64_t> sizes = integers_in(in.raw_text(AttributeKey::kSliceSizes));
  int64_t vector_dim = in.int_attribute(AttributeKey::kIndexVectorDim, 0);
  size_t rank = in.shape.dims.size();
  require(in_range(offset_dims, rank) && in_range(collapsed, operand.size()) &&
              in_range(start_map, operand.size()) && in_range(batching, operand.size()) &&
              in_range(index_batching, indices.size()) && vector_dim >= 0 &&
              vector_dim <= static_cast<int64_t>(indices.size()) &&
              index_batching.size() == batching.size(),
          "a gather of dims that do not exist");
  bool has_vector = vector_dim < static_cast<int64_t>(indices.size());
  int64_t length = has_vector ? indices[vector_dim] : 1;
  require(static_cast<int64_t>(start_map.size()) == length &&
              offset_dims.size() + collapsed.size() + batching.size() == operand.size() &&
              rank - offset_dims.size() == indices.size() - (has_vector ? 1 : 0),
          "a gather whose dims do not fit");
  require(sizes.size() == operand.size(), "a gather without slice sizes");
  size_t batch_dim = 0;
  for (size_t i = 0, next = 0; i < operand.size(); ++i) {
    int64_t dim = static_cast<int64_t>(i);
    require(sizes[i] >= 0 && sizes[i] <= operand[i], "a gather of slices that do not fit");
    if (contains(collapsed, dim) || contains(batching, dim)) {
      require(sizes[i] == 1, "a gather that drops more than one element");
    } else {
      std::vector<int64_t> in_order = offset_dims;
      std::sort(in_order.begin(), in_order.end());
      require(in.shape.dims[in_order.at(next)] == sizes[i], "a gather of another result");
      ++next;
    }
  }
  for (size_t i = 0; i < rank; ++i) {
    if (contains(offset_dims, static_cast<int64_t>(i))) continue;
    if (static_cast<int64_t>(batch_dim) == vector_dim) ++batch_dim;
    require(batch_dim < indices.size() && indices[batch_dim] == in.shape.dims[i],
            "a gather of another result");
    ++batch_dim;
  }
  for (size_t k = 0; k < batching.size(); ++k) {
    require(operand[batching[k]] == indices[index_batching[k]], "a gather of other batches");
  }
}

void plan_scatter(const hlo::Module& module, const hlo::Instruction& in, Plan& plan) {
  size_t arrays = in.operands.size() / 2;
  require(in.operands.size() % 2 == 1 && arrays > 0, "a scatter of another number of operands");
  const Dims& operand = module[in.operands[0]].shape.dims;
  const Dims& indices = module[in.operands[arrays]].shape.dims;
  const Dims& updates = module[in.operands[arrays + 1]].shape.dims;
  for (size_t v = 0; v < arrays; ++v) {
    require(module[in.operands[v]].shape.dims == operand &&
                module[in.operands[arrays + 1 + v]].shape.dims == updates &&
                part_shape(in.shape, static_cast<uint32_t>(v)).dims == operand,
            "a scatter of arrays of different dims");
  }
  const IntList& window_dims = in.ints(AttributeKey::kUpdateWindowDims);
  const IntList& inserted = in.ints(AttributeKey::kInsertedWindowDims);
  const IntList& index_batching = in.ints(AttributeKey::kScatterIndicesBatchingDims);
  ScatterPlan scatter;
  scatter.to_operand = in.ints(AttributeKey::kScatterDimsToOperandDims);
  scatter.batching = in.ints(AttributeKey::kInputBatchingDims);
  int64_t vector_dim = in.int_attribute(AttributeKey::kIndexVectorDim, 0);
  require(in_range(window_dims, updates.size()) && in_range(inserted, operand.size()) &&
              in_range(scatter.to_operand, operand.size()) &&
              in_range(scatter.batching, operand.size()) &&
              in_range(index_batching, indices.size()) && vector_dim >= 0 &&
              vector_dim <= static_cast<int64_t>(indices.size()) &&
              index_batching.size() == scatter.batching.size(),
          "a scatter of dims that do not exist");
  bool has_vector = vector_dim < static_cast<int64_t>(indices.size());
  require(static_cast<int64_t>(scatter.to_operand.size()) == (has_vector ? indices[vector_dim] : 1),
          "a scatter whose index vectors have another length");

  Dims update_strides = hlo::row_major_strides(updates);
  scatter.window.assign(operand.size(), 1);
  scatter.update_strides.assign(operand.size(), 0);
  size_t next = 0;
  for (size_t k = 0; k < scatter.batching.size(); ++k) {
    require(operand[scatter.batching[k]] == indices[index_batching[k]],
            "a scatter of other batches");
  }
  for (size_t i = 0; i < operand.size(); ++i) {
    int64_t dim = static_cast<int64_t>(i);
    if (contains(inserted, dim) || contains(scatter.batching, dim)) continue;
    require(next < window_dims.size(), "a scatter whose windows have another rank");
    scatter.window[i] = updates[window_dims[next]];
    scatter.update_strides[i] = update_strides[window_dims[next]];
    require(scatter.window[i] <= operand[i], "a scatter of windows that do not fit");
    ++next;
  }
  require(next == window_dims.size(), "a scatter whose windows have another rank");

  // The positions: row-major over the indices' dims but the vector's, which are the updates' dims
  // that are not the window's, in order.
  Dims index_strides = hlo::row_major_strides(indices);
  if (has_vector) scatter.vector_step = index_strides[vector_dim];
  Dims sizes, index_steps, update_steps;
  std::vector<size_t> index_dims;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (static_cast<int64_t>(i) == vector_dim) continue;
    sizes.push_back(indices[i]);
    index_steps.push_back(index_strides[i]);
    index_dims.push_back(i);
  }
  for (size_t i = 0; i < updates.size(); ++i) {
    if (contains(window_dims, static_cast<int64_t>(i))) continue;
    require(update_steps.size() < sizes.size() && updates[i] == sizes[update_steps.size()],
            "a scatter whose updates do not fit its indices");
    update_steps.push_back(update_strides[i]);
  }
  require(update_steps.size() == sizes.size(), "a scatter whose updates do not fit its indices");
  int64_t count = hlo::product(sizes);
  require(count <= kMostPositions, "a scatter of so many updates");
  Dims strides = hlo::row_major_strides(sizes);
  for (int64_t position = 0; position < count; ++position) {
    int64_t index_at = 0, update_at = 0;
    Dims batch(scatter.batching.size(), 0);
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t at = position / strides[i] % sizes[i];
      index_at += at * index_steps[i];
      update_at += at * update_steps[i];
      for (size_t k = 0; k < index_batching.size(); ++k) {
        if (index_batching[k] == static_cast<int64_t>(index_dims[i])) batch[k] = at;
      }
    }
    scatter.index_at.push_back(index_at);
    scatter.update_at.push_back(update_at);
    if (!scatter.batching.empty()) scatter.batch.push_back(std::move(batch));
  }
  plan.scatter = std::move(scatter);
}

}  // namespace flipsat::verify
