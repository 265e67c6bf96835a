#include "hlo/call_graph.h"

#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

const char* const kModule = R"(HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
unused { a = f32[] parameter(0)  ROOT s = f32[] negate(a) }
inside { a = f32[4] parameter(0)  ROOT s = f32[4] negate(a) }
fused { a = f32[4] parameter(0)  ROOT s = f32[4] call(a), to_apply=inside }
helper { a = f32[4] parameter(0)  ROOT s = f32[4] fusion(a), kind=kLoop, calls=fused }
more { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)  ROOT c = pred[] compare(i, n), direction=LT }
step { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  x = f32[4] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  y = f32[4] call(x), to_apply=helper  z = f32[4] call(y), to_apply=helper
  ROOT t = (s32[], f32[4]) tuple(j, z) }
until { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  ROOT c = pred[] custom-call(i), custom_call_target="ready" }
wait { s = (s32[], f32[4]) parameter(0)  x = f32[4] get-tuple-element(s), index=1
  i = s32[] get-tuple-element(s), index=0  y = f32[4] call(x), to_apply=deep
  ROOT t = (s32[], f32[4]) tuple(i, y) }
ENTRY e { x = f32[4] parameter(0)  z = s32[] constant(0)  init = (s32[], f32[4]) tuple(z, x)
  l = (s32[], f32[4]) while(init), condition=more, body=step
  w = (s32[], f32[4]) while(l), condition=until, body=wait
  y = f32[4] get-tuple-element(w), index=1  f = f32[] constant(0)
  ROOT r = f32[] reduce(y, f), dimensions={0}, to_apply=add }
)";

Module module_with_deep() {
  std::string text = kModule;
  text.insert(text.find("more {"), "deep { a = f32[4] parameter(0)  ROOT s = f32[4] copy(a) }\n");
  return parse(text);
}

TEST_CASE("call graph: executions multiply through loops and calls") {
  Module module = module_with_deep();
  CallGraph calls(module);
  auto times = [&](const std::string& name) {
    return calls.executions(computation_of(module, name));
  };
  CHECK(times("e") == 1);
  CHECK(times("step") == 5);
  CHECK(times("more") == 5);
  CHECK(times("helper") == 10);
  CHECK(times("fused") == 10);
  CHECK(times("wait") == 1);
  CHECK(times("add") == 1);
  CHECK(times("unused") == 0);
}

TEST_CASE("call graph: an unknown trip count taints what the loop reaches and nothing else") {
  Module module = module_with_deep();
  CallGraph calls(module);
  auto unknown = [&](const std::string& name) {
    return calls.has_unknown_trip_count(computation_of(module, name));
  };
  CHECK(unknown("wait"));
  CHECK(unknown("until"));
  CHECK(unknown("deep"));
  CHECK_FALSE(unknown("step"));
  CHECK_FALSE(unknown("e"));
}

TEST_CASE("call graph: reducers and fusions are embedded, bodies and callees are not") {
  Module module = module_with_deep();
  CallGraph calls(module);
  auto embedded = [&](const std::string& name) {
    return calls.is_embedded(computation_of(module, name));
  };
  CHECK(embedded("add"));
  CHECK(embedded("fused"));
  CHECK(embedded("inside"));
  CHECK_FALSE(embedded("helper"));
  CHECK_FALSE(embedded("step"));
  CHECK_FALSE(embedded("more"));
  CHECK_FALSE(embedded("e"));
}

TEST_CASE("call graph: sites with their roles, in text order") {
  Module module = module_with_deep();
  CallGraph calls(module);
  const auto& sites = calls.call_sites(computation_of(module, "helper"));
  REQUIRE(sites.size() == 2);
  CHECK(module[sites[0].instruction].name == "y");
  CHECK(sites[0].caller == computation_of(module, "step"));
  CHECK(sites[0].role == CallSite::Role::kCall);
  CHECK(calls.call_sites(computation_of(module, "more"))[0].role ==
        CallSite::Role::kWhileCondition);
  CHECK(calls.call_sites(computation_of(module, "step"))[0].role == CallSite::Role::kWhileBody);
  CHECK(calls.call_sites(computation_of(module, "add"))[0].role == CallSite::Role::kApply);
  CHECK(calls.call_sites(computation_of(module, "e")).empty());
}

}  // namespace
}  // namespace flipsat::hlo
