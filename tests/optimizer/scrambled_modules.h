// Small modules on which many rules have something to say.
#pragma once

namespace flipsat::optimizer::testing {

inline constexpr const char* kLayer = R"(HloModule layer, num_partitions=4

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY step {
  weights = f32[64,256] parameter(0)
  scale = f32[64,256] parameter(1)
  gradient = f32[256,256] parameter(2)
  table = s32[4] constant({0,64,128,192})
  device = u32[] partition-id()
  zero = s32[] constant(0)
  entry = s32[1] dynamic-slice(table, device), dynamic_slice_sizes={1}
  row = s32[] reshape(entry)
  narrow = bf16[64,256] convert(weights)
  full = bf16[256,256] all-gather(narrow), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  turned = bf16[256,256] transpose(full), dimensions={1,0}
  heads = bf16[8,32,256] reshape(turned)
  scaled = f32[64,256] multiply(weights, scale)
  all_scaled = f32[256,256] all-gather(scaled), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  total = f32[256,256] all-reduce(gradient), channel_id=3, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=sum
  shard = f32[64,256] dynamic-slice(total, row, zero), dynamic_slice_sizes={64,256}
  flat = f32[64,16,16] reshape(shard)
  flipped = f32[64,16,16] transpose(flat), dimensions={0,2,1}
  ROOT out = (bf16[8,32,256], f32[256,256], f32[64,16,16]) tuple(heads, all_scaled, flipped)
}
)";

inline constexpr const char* kExperts = R"(HloModule experts, num_partitions=4

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY step {
  tokens = bf16[64,128] parameter(0)
  router = bf16[64,128] parameter(1)
  bias = f32[128] parameter(2)
  weighted = bf16[64,128] multiply(tokens, router)
  sent = bf16[64,128] all-to-all(weighted), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}
  wide = f32[64,128] convert(sent)
  heads = f32[64,8,16] reshape(wide)
  ahead = f32[64,8,16] collective-permute(heads), channel_id=2, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
  turned = f32[8,64,16] transpose(ahead), dimensions={1,0,2}
  part = f32[128] all-reduce(bias), channel_id=3, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=sum
  rows = f32[64,128] broadcast(part), dimensions={1}
  biased = f32[64,128] add(wide, rows)
  narrow = bf16[64,128] convert(biased)
  back = bf16[256,128] all-gather(narrow), channel_id=4, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  folded = bf16[32,8,128] reshape(back)
  ROOT out = (f32[8,64,16], bf16[32,8,128]) tuple(turned, folded)
}
)";

}  // namespace flipsat::optimizer::testing
