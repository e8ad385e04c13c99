"""Public names that are imported when they are first used, from the one list that type checkers read."""

from __future__ import annotations

from collections.abc import Callable


def names_of(package: str, *own: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose names stand in its ``__init__.pyi``.

    Each is a line there: ``from module import name as name``. Its ``own`` names are in the package itself.
    """
    homes: dict[str, str] = {}

    def read() -> dict[str, str]:
        if not homes:
            from pkgutil import get_data

            lines = (get_data(package, "__init__.pyi") or b"").decode().splitlines()
            parts = [line.split() for line in lines if line.startswith("from ")]
            homes.update({part[-1]: part[1] for part in parts if part[-2] == "as"})
        return homes

    def found(name: str) -> object:
        if name == "__all__":
            return listed()
        if name.startswith("_") or name not in read():
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        import sys

        value = getattr(__import__(read()[name], fromlist=[name]), name)
        setattr(sys.modules[package], name, value)  # so that nobody has to ask for it again
        return value

    def listed() -> list[str]:
        return sorted([*read(), *own])

    return found, listed
