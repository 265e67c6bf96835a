"""Compiles one HLO module ahead of time for a TPU slice that is not there, and prints the compiler's figures.

    compile_one.py MODULE TOPOLOGY < nothing > figures.json

The module is one device's program (partitioned already). It goes to the compiler as StableHLO with every value
marked as manually sharded, so that the partitioner lets it pass and still gives partition ids. The log of the
latency-hiding scheduler, the only place where the time of collectives shows, is on standard error: `compare`
reads it.
"""

import gzip
import json
import os
import pathlib
import re
import sys

os.environ.update({"JAX_PLATFORMS": "cpu", "TPU_SKIP_MDS_QUERY": "1", "TPU_WORKER_HOSTNAMES": "localhost",
                   "TPU_ACCELERATOR_TYPE": "v5litepod-8", "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
                   "TPU_MIN_LOG_LEVEL": "0", "TPU_STDERR_LOG_LEVEL": "0",
                   "TPU_VMODULE": "latency_hiding_scheduler=1"})
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import numpy  # noqa: E402
from flipsat_xla.groups import with_lists  # noqa: E402
from flipsat_xla.prepare import device_counts, readable  # noqa: E402
from jax._src import compiler  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import _jax, hlo  # noqa: E402
from jax.experimental import topologies  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402


def read(path):
    data = pathlib.Path(path).read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def spelled(text):
    """What the way through StableHLO does not know: a copy is a reshape to the same shape."""
    text = with_lists(readable(text))
    return re.sub(r"(?<=[ }\])])copy\((?=%?[\w.\-]|\w+\[)", "reshape(", text)


def mark_manual(module):
    """Every value as manually sharded."""
    manual = ir.StringAttr.get("{manual}")

    def mark(operation):
        for region in operation.regions:
            for block in region.blocks:
                for inner in block.operations:
                    mark(inner.operation)
        if operation.name == "func.func":
            function = ir.FunctionType(ir.TypeAttr(operation.attributes["function_type"]).value)
            for name, values in [("arg_attrs", function.inputs), ("res_attrs", function.results)]:
                operation.attributes[name] = ir.ArrayAttr.get(
                    [ir.DictAttr.get({"mhlo.sharding": manual})] * len(values))
        elif len(operation.results) == 1:  # of loops it follows from these
            operation.attributes["mhlo.sharding"] = manual

    for operation in module.body.operations:
        mark(operation.operation)


def compile_text(text, topology):
    replicas, partitions = device_counts(text)
    proto = hlo.hlo_module_from_text(spelled(text)).as_serialized_hlo_module_proto()
    devices = topology.devices[:replicas * partitions]
    assignment = numpy.array([device.id for device in devices]).reshape(replicas, partitions)
    options = compiler.get_compile_options(num_replicas=replicas, num_partitions=partitions,
                                           device_assignment=assignment)
    options.executable_build_options.use_spmd_partitioning = partitions > 1
    with mlir.make_ir_context():
        module = ir.Module.parse(_jax.mlir.hlo_to_stablehlo(proto))
        count = ir.IntegerType.get_signless(32)
        module.operation.attributes["mhlo.num_replicas"] = ir.IntegerAttr.get(count, replicas)
        module.operation.attributes["mhlo.num_partitions"] = ir.IntegerAttr.get(count, partitions)
        if partitions > 1:
            mark_manual(module)
        return devices[0].client.compile(module, executable_devices=_jax.DeviceList(tuple(devices)),
                                         compile_options=options)


def main():
    topology = topologies.get_topology_desc(platform="tpu", topology_name=sys.argv[2])
    executable = compile_text(read(sys.argv[1]), topology)
    costs = executable.cost_analysis()
    costs = costs[0] if isinstance(costs, list) else costs
    json.dump({"bytes": costs.get("bytes accessed"),
               "peak": executable.get_compiled_memory_stats().peak_memory_in_bytes,
               "text": executable.hlo_modules()[0].to_string()}, sys.stdout)


if __name__ == "__main__":
    main()
