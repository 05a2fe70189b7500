"""May I believe it: tests of what the methods assume."""

from ._published_scar_test import PublishedScarTest, published_scar_test
from ._scar_result import ScarTest
from ._scar_test import scar_test

__all__ = ["PublishedScarTest", "ScarTest", "published_scar_test", "scar_test"]
