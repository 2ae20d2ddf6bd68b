"""The engine's own version, which every record that it writes carries."""

from typing import Final

ENGINE_VERSION: Final = "0.1.0"
