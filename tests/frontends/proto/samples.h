// Modules that between them have every kind of attribute, and short ways through protos.
#pragma once

#include <string>
#include <vector>

#include "frontends/proto/hlo.pb.h"
#include "frontends/proto/proto.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {

inline hlo::Module through_proto(const hlo::Module& module) {
  return read_proto(write_proto(module), "t.pb");
}

inline hlo_proto::Module message_of(const hlo::Module& module) {
  hlo_proto::Module message;
  message.ParseFromString(write_proto(module));
  return message;
}

// An instruction of the entry computation.
inline hlo_proto::Instruction* find(hlo_proto::Module& module, const std::string& name) {
  for (auto& computation : *module.mutable_computations()) {
    for (auto& instruction : *computation.mutable_instructions()) {
      if (instruction.name() == name) return &instruction;
    }
  }
  return nullptr;
}

inline std::string proto_error(const std::string& bytes) {
  try {
    read_proto(bytes, "t.pb");
  } catch (const hlo::InputError& error) {
    return error.what();
  }
  return {};
}

// Each is a body of `in_entry`.
inline const std::vector<std::string>& bodies() {
  static const std::vector<std::string> all = {
      // Collectives, groups in all spellings.
      R"(ROOT g = f32[4,3]{1,0} all-gather(p), channel_id=7, replica_groups={{0,1},{2,3}}, dimensions={0}, use_global_device_ids=true)",
      R"(ROOT g = f32[4,3]{1,0} all-gather(p), replica_groups={}, constrain_layout=true, dimensions={0})",
      R"(ROOT g = f32[8,3]{1,0} all-gather(p), channel_id=1, replica_groups=[2,4]<=[2,2,2]T(1,0,2), dimensions={0}, use_global_device_ids=true)",
      R"(ROOT g = f32[4,3]{1,0} all-gather(p), channel_id=1, replica_groups=[2,2]<=[4], dimensions={0}, use_global_device_ids=true)",
      R"(ROOT g = f32[4,3]{1,0} all-gather(p), channel_id=1, replica_groups=mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'a'}, dimensions={0}, use_global_device_ids=true)",
      R"(ROOT g = f32[4,3]{1,0} all-gather(p), channel_id=1, replica_groups=mesh['a'=4,'b'=2], device_ids=(1,0,2,3,4,5,6,7) {'a':(2)2}, dimensions={0}, use_global_device_ids=true)",
      R"(ROOT r = f32[2,3]{1,0} all-reduce(p), replica_groups={{0,1}}, to_apply=add)",
      R"(ROOT r = f32[1,3]{1,0} reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add)",
      R"(ROOT r = f32[2,3]{1,0} all-to-all(p), replica_groups={{0,1}}, dimensions={0})",
      R"(ROOT r = (f32[2,3]{1,0}, f32[2,3]{1,0}) all-to-all(p, p), replica_groups={{0,1}})",
      R"(ROOT r = f32[2,3]{1,0} collective-permute(p), channel_id=2, source_target_pairs={{0,1},{1,0}})",
      R"(ROOT r = f32[2,3]{1,0} collective-broadcast(p), replica_groups={{0,1}}, has_dynamic_root=true)",
      "c = f32[2,3]{1,0} collective-permute-start(p), source_target_pairs={{0,1}}\n"
      "ROOT d = f32[2,3]{1,0} collective-permute-done(c)",
      // Movements.
      R"(ROOT r = f32[1,2]{1,0} slice(p), slice={[0:1], [0:3:2]})",
      "i = s32[] constant(1)\nj = s32[] constant(0)\n"
      "ROOT r = f32[1,3]{1,0} dynamic-slice(p, i, j), dynamic_slice_sizes={1,3}",
      R"(ROOT r = f32[4,6]{1,0} pad(p, s), padding=1_1x-1_2_1)",
      R"(ROOT r = f32[3,2]{0,1} transpose(p), dimensions={1,0})",
      R"(ROOT r = f32[2,3]{1,0} broadcast(s), dimensions={})",
      R"(ROOT r = f32[2,3]{1,0} reverse(p), dimensions={0,1})",
      R"(ROOT r = f32[4,3]{1,0} concatenate(p, p), dimensions={0})",
      R"(ROOT r = s32[4,2]{1,0} iota(), iota_dimension=1)",
      R"(ROOT r = f32[6]{0} reshape(p))",
      "i = s32[1]{0} constant({1})\n"
      "ROOT r = f32[1,3]{1,0} gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}, indices_are_sorted=true",
      "i = s32[1]{0} constant({1})\nu = f32[1,3]{1,0} slice(p), slice={[0:1], [0:3]}\n"
      "ROOT r = f32[2,3]{1,0} scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add",
      // Contractions and windows.
      R"(ROOT r = f32[2,2]{1,0} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}, operand_precision={high,highest}, algorithm=dot_bf16_bf16_f32_x3)",
      R"(ROOT r = f32[2,3,3]{2,1,0} dot(p, p), lhs_batch_dims={0}, lhs_contracting_dims={}, rhs_batch_dims={0}, rhs_contracting_dims={})",
      "a = f32[1,4,4,2]{3,2,1,0} broadcast(s), dimensions={}\n"
      "b = f32[3,3,1,4]{3,2,1,0} broadcast(s), dimensions={}\n"
      "ROOT r = f32[1,4,2,4]{3,2,1,0} convolution(a, b), window={size=3x3 stride=1x2 pad=1_1x1_0 "
      "rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, feature_group_count=2",
      R"(ROOT r = f32[1,3]{1,0} reduce-window(p, s), window={size=2x1}, to_apply=add)",
      R"(ROOT r = f32[3]{0} reduce(p, s), dimensions={0}, to_apply=add)",
      // Elementwise and what looks like it.
      R"(ROOT r = pred[2,3]{1,0} compare(p, p), direction=LT, type=TOTALORDER)",
      R"(ROOT r = pred[2,3]{1,0} compare(p, p), direction=EQ)",
      R"(ROOT r = f32[2,3]{1,0} reduce-precision(p), exponent_bits=5, mantissa_bits=10)",
      R"(ROOT r = f32[2,3]{1,0} tanh(p), result_accuracy={mode=highest})",
      R"(ROOT r = f32[2,3]{1,0} tanh(p), result_accuracy={tolerance={atol=0.5, rtol=0.25, ulps=2}})",
      R"(ROOT r = f32[2,3]{1,0} sort(p), dimensions={1}, is_stable=true, to_apply=less)",
      R"(ROOT r = (f32[2,1]{1,0}, s32[2,1]{1,0}) topk(p), k=1, largest=true)",
      // Random numbers, transforms, solvers, normalisation.
      R"(ROOT r = f32[2,3]{1,0} rng(s, s), distribution=rng_uniform)",
      "k = u64[2]{0} constant({1, 2})\n"
      "ROOT r = (u64[2]{0}, u32[4]{0}) rng-bit-generator(k), algorithm=rng_three_fry",
      R"(ROOT r = u64[2]{0} rng-get-and-update-state(), delta=3)",
      "c = c64[2,3]{1,0} complex(p, p)\n"
      "ROOT r = c64[2,3]{1,0} fft(c), fft_type=IFFT, fft_length={3}",
      "a = f32[2,2]{1,0} broadcast(s), dimensions={}\n"
      "ROOT r = f32[2,3]{1,0} triangular-solve(a, p), left_side=true, lower=true, "
      "unit_diagonal=false, transpose_a=NO_TRANSPOSE",
      "a = f32[2,2]{1,0} broadcast(s), dimensions={}\n"
      "ROOT r = f32[2,2]{1,0} cholesky(a), lower=true",
      "a = f32[3]{0} broadcast(s), dimensions={}\n"
      "ROOT r = (f32[2,3]{1,0}, f32[3]{0}, f32[3]{0}) batch-norm-training(p, a, a), "
      "epsilon=0.001, feature_index=1",
      // Calls.
      R"(ROOT r = f32[2,3]{1,0} fusion(p), kind=kLoop, calls=fused)",
      "q = pred[] constant(true)\n"
      "ROOT r = f32[2,3]{1,0} conditional(q, p, p), true_computation=fused, "
      "false_computation=fused",
      "q = s32[] constant(0)\n"
      "ROOT r = f32[2,3]{1,0} conditional(q, p, p), branch_computations={fused, fused}",
      R"(ROOT r = f32[2,3]{1,0} while(p), condition=always, body=fused, backend_config={"known_trip_count":{"n":"3"}})",
      R"(ROOT r = f32[2,3]{1,0} call(p), to_apply=fused, is_composite=true, frontend_attributes={composite.name="a.b",composite.version="1"})",
      "a = ((f32[2,3]{1,0}), f32[2,3]{1,0}, s32[]) async-start(p), calls=fused\n"
      "ROOT r = f32[2,3]{1,0} async-done(a)",
      // Custom calls.
      R"(ROOT r = f32[2,3]{1,0} custom-call(p), custom_call_target="t\"x", operand_layout_constraints={f32[2,3]{0,1}}, custom_call_has_side_effect=true, called_computations={fused, add}, output_to_operand_aliasing={{}: (0, {})}, schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, backend_config="opaque \n\001")",
      R"(ROOT r = f32[2,3]{1,0} custom-call(p), custom_call_target="t", padding_type=PADDING_SAME, literal=s32[2]{0} {1, 2}, api_version=API_VERSION_UNSPECIFIED)",
      // The outside world.
      "k = token[] after-all()\ni = (f32[2]{0}, token[]) infeed(k), infeed_config=\"cfg\"\n"
      "ROOT o = token[] outfeed(p, k), outfeed_shape=f32[2,3]{1,0}, outfeed_config=\"x\"",
      "k = token[] after-all()\n"
      "a = (f32[2,3]{1,0}, u32[], token[]) send(p, k), channel_id=5, is_host_transfer=true\n"
      "ROOT b = token[] send-done(a), channel_id=5, is_host_transfer=true",
      "c = (f32[2,3]{1,0}, f32[2,3]{1,0}, u32[]) copy-start(p), cross_program_prefetch_index=0\n"
      "ROOT d = f32[2,3]{1,0} copy-done(c)",
      R"(ROOT r = f32[2,3]{1,0} domain(p), domain={kind="sharding", entry={maximal device=0}, exit={replicated}})",
      // What any instruction may have.
      R"(ROOT r = f32[2,3]{1,0} copy(p), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}, metadata={op_type="t" op_name="jit(f)/\"x\"" source_file="a.py" source_line=3 source_end_line=4 source_column=1 source_end_column=9 deduplicated_name="d" scheduling_name="s" stack_frame_id=2})",
      R"(ROOT r = f32[2,3]{1,0} copy(p), sharding={devices=[2,1,2]0,1,2,3 last_tile_dims={manual}})",
      R"(ROOT r = f32[2,3]{1,0} copy(p), sharding={devices=[2,1]0,1 shard_like 3 metadata={op_name="z"}})",
      R"(ROOT r = (f32[2,3]{1,0}, f32[]) copy(t), sharding={{manual}, {maximal device=1}})",
      "q = f32[] negate(s)\nROOT r = f32[2,3]{1,0} copy(p), control-predecessors={q, s}",
      R"(ROOT r = f32[2,3]{1,0} copy(p), frontend_attributes={a="1",b={"x":[1]}}, statistics={visualizing_index=1,stat-1=2.5,stat-2=33})",
      // Shapes.
      R"(ROOT r = f32[2,3]{1,0:T(8,128)(2,1)E(32)S(5)} copy(p))",
      R"(ROOT r = f32[<=2,3]{1,0} set-dimension-size(p, n), dimensions={0})",
      R"(ROOT r = (f32[2,3]{0,1}, (f32[], ())) custom-call(p), custom_call_target="t")",
  };
  return all;
}

inline std::string sample(const std::string& body) {
  return "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }, "
         "replica_count=2, num_partitions=4, frontend_attributes={k=\"v\"}\n"
         "\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
         "1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}\n"
         "\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n"
         "add {\n  x.0 = f32[] parameter(0)\n  y.0 = f32[] parameter(1)\n"
         "  ROOT z.0 = f32[] add(x.0, y.0)\n}\n"
         "less {\n  x.1 = f32[] parameter(0)\n  y.1 = f32[] parameter(1)\n"
         "  ROOT z.1 = pred[] compare(x.1, y.1), direction=LT\n}\n"
         "fused {\n  x.2 = f32[2,3]{1,0} parameter(0)\n"
         "  ROOT y.2 = f32[2,3]{1,0} negate(x.2)\n}\n"
         "always {\n  x.3 = f32[2,3]{1,0} parameter(0)\n  ROOT y.3 = pred[] constant(true)\n}\n"
         "ENTRY e {\n  p = f32[2,3]{1,0} parameter(0)\n  s = f32[] parameter(1), "
         "parameter_replication={true}\n  n = s32[] constant(1)\n"
         "  t = (f32[2,3]{1,0}, f32[]) tuple(p, s)\n  " +
         body + "\n}\n";
}

}  // namespace flipsat::frontends
