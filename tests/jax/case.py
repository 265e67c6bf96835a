"""What the tests of flipsat.jax share. They run in a Python that has JAX and eight devices: importing this
starts the test anew there, or skips it.

Environment: FLIPSAT_ROOT (the source tree), FLIPSAT_VENV (where scripts/setup-python put the package),
FLIPSAT_PYTHON (a Python with jax, from scripts/setup-oracle).
"""

import os
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(os.environ["FLIPSAT_ROOT"])
SKIPPED = 77


def _skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def _output(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


if "FLIPSAT_JAX_TEST" not in os.environ:
    python, package = os.environ["FLIPSAT_PYTHON"], pathlib.Path(os.environ["FLIPSAT_VENV"]) / "bin" / "python"
    version = "import sys; print(*sys.version_info[:2])"
    if _output(python, "-c", "import jax; " + version) is None:
        _skip(f"{python} has no jax (scripts/setup-oracle installs it)")
    site = _output(package, "-c", "import flipsat, pathlib; print(pathlib.Path(flipsat.__file__).parent.parent)")
    if site is None:
        _skip(f"{package} has no flipsat (scripts/setup-python installs it)")
    if _output(python, "-c", version) != _output(package, "-c", version):
        _skip(f"{python} and {package} are different versions of Python")
    os.environ.update(FLIPSAT_JAX_TEST="1", PYTHONPATH=site, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3",
                      XLA_FLAGS="--xla_force_host_platform_device_count=8")
    os.execv(python, [python, "-B", *sys.argv])

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

ALL = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
GRID = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto, AxisType.Auto))


def on(mesh, *spec):
    return NamedSharding(mesh, P(*spec))


def array(shape, sharding, dtype=np.float32, seed=0):
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return jax.device_put(values.astype(dtype), sharding)


def copies(tree):
    """Of all arrays: a program may be allowed to use them up."""
    return jax.tree.map(lambda leaf: leaf.copy() if isinstance(leaf, jax.Array) else leaf, tree)


def child(program, *words, **environment):
    """Another Python that runs `program`; its communicate() says what it printed."""
    return subprocess.Popen([sys.executable, "-B", "-c", textwrap.dedent(program), *map(str, words)],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **environment})
