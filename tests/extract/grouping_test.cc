#include "extract/grouping.h"

#include "extract/program_cost.h"
#include "frontends/text/text.h"
#include "tests/catch.h"

namespace flipsat::extract {
namespace {

constexpr const char* kTwoGroupings = R"(
HloModule m, num_partitions=4
ENTRY e {
  a = f32[2] parameter(0)
  far = f32[4] all-gather(a), dimensions={0}, channel_id=1, replica_groups={{0,2},{1,3}}, use_global_device_ids=true
  near = f32[4] all-gather(a), dimensions={0}, channel_id=2, replica_groups=[2,2]<=[4], use_global_device_ids=true
  again = f32[4] all-gather(a), dimensions={0}, channel_id=3, replica_groups={{0,1},{2,3}}, use_global_device_ids=true
  all = f32[8] all-gather(a), dimensions={0}, channel_id=4, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  p = f32[2] collective-permute(a), channel_id=5, source_target_pairs={{0,1},{1,0}}
  ROOT t = (f32[4], f32[4], f32[4], f32[8], f32[2]) tuple(far, near, again, all, p)
}
)";

ProgramCost price(const hlo::Module& module) {
  CostOptions options;
  options.combiner = hlo::combiner_preset("none");
  return price_program(module, hlo::infer_device_counts(module, {}), options,
                       std::vector<bool>(module.instructions.size(), true));
}

std::vector<std::string> group_names(const ProgramCost& cost) {
  std::vector<std::string> names;
  for (const KeyRow& row : cost.keys) names.push_back(row.opcode + " " + row.groups);
  return names;
}

TEST_CASE("groupings of one form are told apart by letters in the order of their ids") {
  const hlo::Module module = frontends::read_text(kTwoGroupings, "test.hlo");
  const ProgramCost cost = price(module);
  CHECK(group_names(cost) == std::vector<std::string>{"all-gather 1x4", "all-gather 2x2a",
                                                      "all-gather 2x2b",
                                                      "collective-permute 2 pairs"});
  CHECK(cost.keys[1].count == 2);  // near and again, spelled differently
  CHECK(cost.keys[2].count == 1);
  CHECK(cost.keys[1].dim == "0");
  CHECK(cost.keys[3].dim == "-");
}

TEST_CASE("letters stay when a program loses a grouping of its input") {
  hlo::Module module = frontends::read_text(kTwoGroupings, "test.hlo");
  // `near` and `again` die: the list no longer has them.
  std::erase_if(module.computations[module.entry].instructions, [&](hlo::InstructionId id) {
    const std::string& name = module[id].name;
    return name == "near" || name == "again" || name == "t";
  });
  module.computations[module.entry].root = module.computations[module.entry].instructions.back();
  CHECK(group_names(price(module)) == std::vector<std::string>{"all-gather 1x4", "all-gather 2x2b",
                                                               "collective-permute 2 pairs"});
}

TEST_CASE("unknown devices: groups by what is written, by shapes, or of two") {
  const hlo::Module module = frontends::read_text(R"(
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY e {
  a = f32[2] parameter(0)
  g = f32[6] all-gather(a), dimensions={0}, replica_groups={}
  s = f32[2] reduce-scatter(g), dimensions={0}, to_apply=add, replica_groups={}
  w = f32[2] all-reduce(s), to_apply=add, replica_groups={{0,1,2,3}}
  ROOT r = f32[2] all-reduce(w), to_apply=add, replica_groups={}
}
)",
                                                  "test.hlo");
  hlo::DeviceCounts unknown;
  unknown.known = false;
  GroupingTable table(machine_preset("trn2"), unknown);
  std::vector<int64_t> sizes;
  for (hlo::InstructionId id : module.entry_computation().instructions) {
    if (auto collective = as_collective(module, module[id])) {
      sizes.push_back(table[table.add(module, *collective)].largest);
    }
  }
  CHECK(sizes == std::vector<int64_t>{3, 3, 4, 2});
}

TEST_CASE("a permute that stays at home copies and launches nothing") {
  const hlo::Module module = frontends::read_text(R"(
HloModule m, num_partitions=2
ENTRY e {
  a = f32[2] parameter(0)
  ROOT p = f32[2] collective-permute(a), channel_id=5, source_target_pairs={{0,0},{1,1}}
}
)",
                                                  "test.hlo");
  const ProgramCost cost = price(module);
  CHECK(cost.plain.collectives == 1);
  CHECK(cost.launch_time == memory_time(machine_preset("trn2"), 16));
}

}  // namespace
}  // namespace flipsat::extract
