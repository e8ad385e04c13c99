"""Public names that are imported at their first use, from the list that type checkers read."""

from __future__ import annotations

from collections.abc import Callable


def names_of(package: str, *own: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose names are in its ``__init__.pyi``.

    A line there is ``from module import name as name``. ``own`` names are in the package itself.
    """
    homes: dict[str, str] = {}

    def read() -> dict[str, str]:
        if not homes:
            from pkgutil import get_data

            lines = (get_data(package, "__init__.pyi") or b"").decode().splitlines()
            parts = [line.split() for line in lines if line.startswith("from ")]
            homes.update({part[-1]: part[1] for part in parts if part[-2] == "as"})
        return homes

    def attribute(name: str) -> object:
        if name == "__all__":
            return listed()
        if name.startswith("_") or name not in read():
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        import sys

        value = getattr(__import__(read()[name], fromlist=[name]), name)
        setattr(sys.modules[package], name, value)  # for the next use
        return value

    def listed() -> list[str]:
        return sorted([*read(), *own])

    return attribute, listed
