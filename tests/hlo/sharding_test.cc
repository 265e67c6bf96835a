#include "hlo/sharding.h"

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

using Blocks = std::vector<uint32_t>;

Blocks tiles(const std::string& text, int64_t partitions = 8) {
  return same_tile_partitions(text, 1, partitions)[0].blocks();
}

const Blocks kDistinct{0, 1, 2, 3, 4, 5, 6, 7};
const Blocks kEqual{0, 0, 0, 0, 0, 0, 0, 0};

TEST_CASE("sharding: replicated, and tiled without replication") {
  CHECK(tiles("{replicated}") == kEqual);
  CHECK(tiles("{devices=[4,2]<=[8]}") == kDistinct);
  CHECK(tiles("{devices=[8,1]0,1,2,3,4,5,6,7}") == kDistinct);
}

TEST_CASE("sharding: the last tile dim replicates, in every spelling of the devices") {
  CHECK(tiles("{devices=[4,1,2]<=[8] last_tile_dim_replicate}") == Blocks{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(tiles("{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}") ==
        Blocks{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(tiles("{devices=[2,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}") ==
        Blocks{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(tiles("{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}") ==
        Blocks{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(tiles("{devices=[2,2,2]<=[8] last_tile_dims={replicated, manual}}") ==
        Blocks{0, 1, 0, 1, 2, 3, 2, 3});
}

TEST_CASE("sharding: meshes with names") {
  CHECK(tiles("{mesh['x'=2,'y'=4], [{'x'}, {}]}") == Blocks{0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(tiles("{mesh['x'=2,'y'=4], [{}, {'y'}]}") == Blocks{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(tiles("{mesh['x'=2,'y'=4], [{}, {?}], replicated={'x'}}") == kEqual);
  CHECK(tiles("{mesh['x'=2,'y'=4], [{'y':(1)2}]}") == Blocks{0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(tiles("{mesh['x'=2,'y'=4], [{'y':(2)2}]}") == Blocks{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(tiles("{mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)), [{'x'}]}") ==
        Blocks{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(tiles("{mesh['x'=2,'y'=2], device_ids=(3,0,1,2), [{'x'}]}", 4) == Blocks{0, 1, 1, 0});
}

TEST_CASE("sharding: what says nothing, or is not understood") {
  for (const char* text :
       {"{manual}", "{maximal device=0}", "{unknown}", "{unreduced}", "", "{", "{devices=[4]<=[8]}",
        "{devices=[8]<=[4]}", "{devices=[8]0,1,2,3,4,5,6,6}", "{devices=[-8]<=[8]}",
        "{devices=[2,4]<=[2,4]T(0,0) last_tile_dim_replicate}", "{mesh['x'=2], [{'x'}]}",
        "{mesh['x'=2,'y'=4], [{'z'}]}", "{mesh['x'=2,'y'=4], [{}], unreduced={'x'}}",
        "{mesh['x'=2,'y'=4], [{'y':(3)2}]}", "{mesh['x'=2,'y'=4], [{'y':(1)3}]}",
        "{devices=[4,2]<=[8] last_tile_dims={odd}}"}) {
    INFO(text);
    CHECK(tiles(text) == kDistinct);
  }
}

TEST_CASE("sharding: one for each leaf of a tuple, or one for all") {
  auto leaves = same_tile_partitions("{{replicated}, /*index=1*/{devices=[4]<=[4]}}", 2, 4);
  CHECK(leaves[0].is_all_equal());
  CHECK(leaves[1].is_all_distinct());
  leaves = same_tile_partitions("{replicated}", 2, 4);
  CHECK(leaves[1].is_all_equal());
  leaves = same_tile_partitions("{{replicated}, {replicated}}", 3, 4);
  CHECK(leaves[0].is_all_distinct());
}

TEST_CASE("parameter replication: a flag a leaf, or nothing") {
  CHECK(parse_parameter_replication("{true,false}", 2) == std::vector<bool>{true, false});
  CHECK(parse_parameter_replication("{true}", 2).empty());
  CHECK(parse_parameter_replication("{yes}", 1).empty());
}

}  // namespace
}  // namespace flipsat::hlo
