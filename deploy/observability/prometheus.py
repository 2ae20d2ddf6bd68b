"""A Prometheus beside `mahjong serve`: its configuration, the rules, the dashboards as pages."""

import json
import shutil
from pathlib import Path

from deploy.observability.boards import BOARDS
from deploy.observability.consoles import alerts, console

RULES = Path(__file__).parent / "rules"


def prepare(data: Path, *, scrape_s: int) -> Path:
    """Writes what Prometheus reads into `data/prometheus`; returns that folder.

    Args:
        data: the folder of `mahjong serve`, where it says in `targets.json` what is to be watched.
        scrape_s: seconds between two readings of a metric.
    """
    folder = data / "prometheus"
    consoles = folder / "consoles"
    consoles.mkdir(parents=True, exist_ok=True)
    for board in BOARDS:
        (consoles / f"{board.name}.html").write_text(console(board))
    (consoles / "alerts.html").write_text(alerts())
    config = {
        "global": {"scrape_interval": f"{scrape_s}s", "evaluation_interval": f"{scrape_s}s"},
        "rule_files": [str(RULES / "*.yaml")],
        "scrape_configs": [
            # Jobs are named by the targets themselves, as a ServiceMonitor names them by their Services.
            {"job_name": "mahjong", "file_sd_configs": [{"files": [str(data / "targets.json")]}]}
        ],
    }
    (folder / "prometheus.json").write_text(json.dumps(config, indent=1))  # JSON is YAML too.
    return folder


def command(folder: Path, *, port: int) -> list[str]:
    """Returns the command that runs Prometheus on a prepared folder.

    Raises:
        FileNotFoundError: Prometheus is not installed.
    """
    binary = shutil.which("prometheus")
    if binary is None:
        raise FileNotFoundError("no prometheus on the path: apt-get install prometheus")
    return [
        binary,
        f"--config.file={folder / 'prometheus.json'}",
        f"--storage.tsdb.path={folder / 'data'}",
        "--storage.tsdb.retention.time=2d",
        f"--web.listen-address=127.0.0.1:{port}",
        f"--web.console.templates={folder / 'consoles'}",
        f"--web.console.libraries={folder / 'consoles'}",
        "--log.level=warn",
    ]
