"""flipsat for JAX: a jitted function in, one with cheaper collectives out.

    step = flipsat.jax.optimize(jax.jit(train_step), state, batch)
    state, loss = step(state, batch)

docs/jax.md tells what can be carried, what is lost and how it is done.
"""

try:
    import jax as _jax
except ImportError as error:
    raise ImportError(f"flipsat.jax needs JAX (pip install 'flipsat[xla]'): {error}") from error

from flipsat.jax.comparison import Comparison
from flipsat.jax.errors import REASONS, CannotCarry
from flipsat.jax.optimized import Optimized
from flipsat.jax.optimizing import optimize

__all__ = ["REASONS", "CannotCarry", "Comparison", "Optimized", "optimize"]
