"""What importing the engine costs: time and memory of a fresh interpreter."""

import subprocess
import sys
from statistics import median

_PROBE = """
import resource, time
pages = lambda: int(open("/proc/self/statm").read().split()[1])
before, start = pages(), time.process_time()
import mahjong_engine.match
from mahjong_engine.rule_set import rule_set
rule_set("classical"), rule_set("taiwanese")
print(time.process_time() - start, (pages() - before) * resource.getpagesize())
"""


def measure_import() -> tuple[float, float]:
    """Returns seconds of processor time and MiB of memory, the median of seven interpreters; Linux only."""
    runs = [subprocess.check_output([sys.executable, "-c", _PROBE], text=True).split() for _ in range(7)]
    return median(float(seconds) for seconds, _ in runs), median(int(size) for _, size in runs) / 2**20
