"""A small film shop, simulated: data to try Steelyard on without a network."""

from steelyard.demo.shop import Shop, simulate
from steelyard.demo.show import show, write

__all__ = ["Shop", "show", "simulate", "write"]
