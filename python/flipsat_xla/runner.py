"""Compiles and runs one module on XLA:CPU: the only file that touches jaxlib.

Uses names that jaxlib does not promise to keep; checked with jaxlib 0.10.2. How many CPU devices there
are must be in the environment before this is imported (__main__.py).
"""

import numpy as np

import jax
import ml_dtypes
from jax._src import xla_bridge
from jax._src.lib import _jax, xla_client

from flipsat_xla import prepare

VERSION = jax.lib.__version__

jax.config.update("jax_enable_x64", True)  # else 64-bit inputs are halved on their way to a device

TYPES = {
    "pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16,
    "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "c64": np.complex64,
    "c128": np.complex128, "s2": ml_dtypes.int2, "u2": ml_dtypes.uint2, "s4": ml_dtypes.int4,
    "u4": ml_dtypes.uint4, "f4e2m1fn": ml_dtypes.float4_e2m1fn, "f8e3m4": ml_dtypes.float8_e3m4,
    "f8e4m3": ml_dtypes.float8_e4m3, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz, "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2": ml_dtypes.float8_e5m2, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e8m0fnu": ml_dtypes.float8_e8m0fnu,
}

# The module is partitioned: this pass must not run, in any pipeline.
_NEVER = ["spmd-partitioning"]
# Passes that rewrite arithmetic or collectives, by the names that XLA:CPU logs. What code generation
# needs stays on: expanders, float normalization, layout assignment, copy insertion. (Never all of
# them off: without layout assignment gathers along minor dimensions are wrong and loops hang.)
_REWRITING = [
    "sharding-propagation", "algsimp", "simplify-sorts", "tree_reduction_rewriter",
    "while-loop-invariant-code-motion", "while-loop-constant-sinking", "simplify-while-loops",
    "reshape-mover", "constant_folding", "simplify-conditional", "gemv-rewriter",
    "transpose-folding", "cse", "dot-library-rewriter", "fusion", "cpu-all-reduce-combiner",
    "zero_sized_hlo_elimination", "small-while-loop-hoisting", "batch-dot-simplification",
    "dynamic-dimension-simplifier", "reshape-decomposer", "reduce-decomposer",
]
PLAIN, OPTIMIZING = _NEVER + _REWRITING, _NEVER


class Module:
    """A module that XLA has read, ready to be compiled with one pipeline or another."""

    def __init__(self, text):
        read = xla_client.hlo.hlo_module_from_text
        options = xla_client.hlo.HloPrintOptions()
        options.print_metadata = False
        options.print_large_constants = True
        options.include_layout_in_shapes = True
        printed = read(prepare.readable(text)).to_string(options)
        self.text, self.parameters = prepare.runnable(printed)
        for parameter in self.parameters:
            if parameter.type not in TYPES:
                raise prepare.CannotRun(f"parameter {parameter.name} is of type {parameter.type}")
        proto = read(self.text).as_serialized_hlo_module_proto()
        self._bytecode = _jax.mlir.hlo_to_stablehlo(proto)

    def compile(self, replicas, partitions, without_passes, quick):
        options = xla_client.CompileOptions()
        build = options.executable_build_options
        options.num_partitions = build.num_partitions = partitions
        options.num_replicas = build.num_replicas = replicas
        # XLA:CPU takes several partitions only where partitioning is on; the pass itself is off.
        build.use_spmd_partitioning = partitions > 1
        build.use_shardy_partitioner = False
        count = replicas * partitions
        options.device_assignment = build.device_assignment = xla_client.DeviceAssignment.create(
            np.arange(count).reshape(replicas, partitions))
        options.env_option_overrides = [
            ("xla_disable_hlo_passes", ",".join(without_passes)),
            # Changes no pass over HLO; code for hundreds of small modules is made in half the time.
            ("xla_backend_optimization_level", 0 if quick else 3)]
        backend = xla_bridge.get_backend("cpu")
        devices = tuple(backend.local_devices()[:count])
        return Executable(
            backend.compile_and_load(self._bytecode, xla_client.DeviceList(devices), options), devices)


class Executable:
    def __init__(self, loaded, devices):
        self._loaded = loaded
        self._devices = devices
        mesh = jax.sharding.Mesh(np.array(devices), ("devices",))
        # Arrays that are called replicated and have other values on each device: nobody checks.
        self._sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())

    def run(self, inputs):
        """inputs[parameter][device] to results[result][device]."""
        arguments = [
            jax.make_array_from_single_device_arrays(
                values[0].shape, self._sharding,
                [jax.device_put(value, device) for value, device in zip(values, self._devices)])
            for values in inputs]
        results = self._loaded.execute_sharded(arguments).disassemble_into_single_device_arrays()
        return [[np.asarray(value) for value in result] for result in results]
