"""Small programs in two forms that compute the same, for 8 devices: one flip each, some for the better."""

GROUPS = "channel_id={}, replica_groups={{{{0,1,2,3,4,5,6,7}}}}, use_global_device_ids=true"
HEAD = """HloModule {name}, num_partitions=8

%add_f32 (a: f32[], b: f32[]) -> f32[] {{
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}}

%add_bf16 (c: bf16[], d: bf16[]) -> bf16[] {{
  %c = bf16[] parameter(0)
  %d = bf16[] parameter(1)
  ROOT %t = bf16[] add(%c, %d)
}}

ENTRY %main ({signature}) -> {result} {{
{body}
}}
"""


def module(name, *lines):
    """Each line: a shape, and what has it. Values are %v0, %v1, ... in order."""
    parameters = [shape for shape, text in lines if text.startswith("parameter")]
    body = [f"  {'ROOT ' if number + 1 == len(lines) else ''}%v{number} = {shape} {text}"
            for number, (shape, text) in enumerate(lines)]
    return HEAD.format(name=name, body="\n".join(body), result=lines[-1][0],
                       signature=", ".join(f"p{number}: {shape}" for number, shape in enumerate(parameters)))


def gather(value, channel, dim=0):
    return f"all-gather({value}), {GROUPS.format(channel)}, dimensions={{{dim}}}"


def scatter(value, channel, add, dim=0):
    return f"reduce-scatter({value}), {GROUPS.format(channel)}, dimensions={{{dim}}}, to_apply=%{add}"


def reduce(value, channel, add):
    return f"all-reduce({value}), {GROUPS.format(channel)}, to_apply=%{add}"


DOT = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"


def pairs():
    """(name, before, after)"""
    def pair(name, before, after):
        name = name.replace("-", "_")
        return name, module(name, *before), module(name, *after)

    weights = ("bf16[4096,512]", "parameter(1)")
    yield pair(
        "narrow-after-gather",
        [("f32[128,4096]", "parameter(0)"), weights, ("f32[1024,4096]", gather("%v0", 1)),
         ("bf16[1024,4096]", "convert(%v2)"), ("bf16[1024,512]", f"dot(%v3, %v1), {DOT}")],
        [("f32[128,4096]", "parameter(0)"), weights, ("bf16[128,4096]", "convert(%v0)"),
         ("bf16[1024,4096]", gather("%v2", 1)), ("bf16[1024,512]", f"dot(%v3, %v1), {DOT}")])
    yield pair(
        "widen-before-gather",
        [("bf16[128,4096]", "parameter(0)"), ("f32[128,4096]", "convert(%v0)"),
         ("f32[1024,4096]", gather("%v1", 1)), ("f32[1024,4096]", "negate(%v2)")],
        [("bf16[128,4096]", "parameter(0)"), ("bf16[1024,4096]", gather("%v0", 1)),
         ("f32[1024,4096]", "convert(%v1)"), ("f32[1024,4096]", "negate(%v2)")])
    yield pair(
        "reshape-after-gather",
        [("bf16[128,16,128]", "parameter(0)"), ("bf16[2048,512]", "parameter(1)"),
         ("bf16[1024,16,128]", gather("%v0", 1)), ("bf16[1024,2048]", "reshape(%v2)"),
         ("bf16[1024,512]", f"dot(%v3, %v1), {DOT}")],
        [("bf16[128,16,128]", "parameter(0)"), ("bf16[2048,512]", "parameter(1)"),
         ("bf16[128,2048]", "reshape(%v0)"), ("bf16[1024,2048]", gather("%v2", 1)),
         ("bf16[1024,512]", f"dot(%v3, %v1), {DOT}")])
    two = [("bf16[128,4096]", "parameter(0)"), ("bf16[128,4096]", "parameter(1)")]
    yield pair(
        "product-of-gathers",
        two + [("bf16[1024,4096]", gather("%v0", 1)), ("bf16[1024,4096]", gather("%v1", 2)),
               ("bf16[1024,4096]", "multiply(%v2, %v3)")],
        two + [("bf16[128,4096]", "multiply(%v0, %v1)"), ("bf16[1024,4096]", gather("%v2", 1))])
    stack = [("bf16[8,128,1024]", "parameter(0)"), ("s32[]", "parameter(1)"), ("s32[]", "constant(0)")]
    yield pair(
        "layer-of-gathered-stack",
        stack + [("bf16[8,1024,1024]", gather("%v0", 1, 1)),
                 ("bf16[1,1024,1024]",
                  "dynamic-slice(%v3, %v1, %v2, %v2), dynamic_slice_sizes={1,1024,1024}")],
        stack + [("bf16[1,128,1024]",
                  "dynamic-slice(%v0, %v1, %v2, %v2), dynamic_slice_sizes={1,128,1024}"),
                 ("bf16[1,1024,1024]", gather("%v3", 1, 1))])
    yield pair(
        "transpose-after-gather",
        [("bf16[128,2048]", "parameter(0)"), ("bf16[1024,2048]", gather("%v0", 1)),
         ("bf16[2048,1024]", "transpose(%v1), dimensions={1,0}")],
        [("bf16[128,2048]", "parameter(0)"), ("bf16[2048,128]", "transpose(%v0), dimensions={1,0}"),
         ("bf16[2048,1024]", gather("%v1", 1, 1))])
    rows = [("bf16[128,2048]", "parameter(0)"), ("bf16[2048,256]", "parameter(1)")]
    yield pair(
        "product-with-gathered-rows",
        rows + [("bf16[1024,2048]", gather("%v0", 1)), ("bf16[1024,256]", f"dot(%v2, %v1), {DOT}")],
        rows + [("bf16[128,256]", f"dot(%v0, %v1), {DOT}"), ("bf16[1024,256]", gather("%v2", 1))])
    yield pair(
        "columns-of-a-gather",
        [("f32[128,4096]", "parameter(0)"), ("f32[1024,4096]", gather("%v0", 1)),
         ("f32[1024,512]", "slice(%v1), slice={[0:1024],[512:1024]}")],
        [("f32[128,4096]", "parameter(0)"), ("f32[128,512]", "slice(%v0), slice={[0:128],[512:1024]}"),
         ("f32[1024,512]", gather("%v1", 1))])
    yield pair(
        "gather-twice",
        [two[0], ("bf16[1024,4096]", gather("%v0", 1)), ("bf16[1024,4096]", gather("%v0", 2)),
         ("bf16[1024,4096]", "negate(%v1)"), ("bf16[1024,4096]", "multiply(%v3, %v2)")],
        [two[0], ("bf16[1024,4096]", gather("%v0", 1)), ("bf16[1024,4096]", "negate(%v1)"),
         ("bf16[1024,4096]", "multiply(%v2, %v1)")])
    yield pair(
        "widen-after-scatter",
        [("bf16[1024,4096]", "parameter(0)"), ("f32[1024,4096]", "convert(%v0)"),
         ("f32[128,4096]", scatter("%v1", 1, "add_f32"))],
        [("bf16[1024,4096]", "parameter(0)"), ("bf16[128,4096]", scatter("%v0", 1, "add_bf16")),
         ("f32[128,4096]", "convert(%v1)")])
    sums = [("f32[1024,1024]", "parameter(0)"), ("f32[1024,1024]", "parameter(1)")]
    yield pair(
        "sum-of-sums",
        sums + [("f32[1024,1024]", reduce("%v0", 1, "add_f32")), ("f32[1024,1024]", reduce("%v1", 2, "add_f32")),
                ("f32[1024,1024]", "add(%v2, %v3)")],
        sums + [("f32[1024,1024]", "add(%v0, %v1)"), ("f32[1024,1024]", reduce("%v2", 1, "add_f32"))])
    yield pair(
        "gathered-scatter",
        [("f32[1024,1024]", "parameter(0)"), ("f32[128,1024]", scatter("%v0", 1, "add_f32")),
         ("f32[1024,1024]", gather("%v1", 2))],
        [("f32[1024,1024]", "parameter(0)"), ("f32[1024,1024]", reduce("%v0", 1, "add_f32"))])
