"""LensKit 2025: asked as the later version is."""

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).with_name("lenskit.py")))
