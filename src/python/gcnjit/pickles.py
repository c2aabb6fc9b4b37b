"""What pickles of native values call."""
from __future__ import annotations

from typing import Any

from . import _native


def restored(name: str, state: tuple[Any, ...]) -> Any:
    """The value of the class of that name of _native."""
    return getattr(_native, name)._of_state(state)
