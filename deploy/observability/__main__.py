"""`python -m deploy.observability run`: Prometheus beside `make run`. `… write`: makes Grafana's dashboards."""

import argparse
import os
import sys
from pathlib import Path

from deploy.observability.boards import BOARDS
from deploy.observability.grafana import dashboard
from deploy.observability.prometheus import command, prepare

DASHBOARDS = Path(__file__).parent / "dashboards"


def main() -> int:
    """Does what is asked; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deploy.observability", description=__doc__)
    steps = parser.add_subparsers(required=True)
    run = steps.add_parser("run")
    run.add_argument("--data", type=Path, default=Path("var"), help="folder of `mahjong serve`")
    run.add_argument("--port", type=int, default=9190, help="9090 may be that of a Prometheus of this machine")
    run.add_argument("--scrape-s", type=int, default=5)
    run.set_defaults(do=_run)
    steps.add_parser("write").set_defaults(do=_write)
    arguments = parser.parse_args()
    return int(arguments.do(arguments))


def _run(arguments: argparse.Namespace) -> int:  # noqa: RET503 - it does not come back
    data = arguments.data.resolve()
    if not (data / "targets.json").exists():
        print(f"nothing runs in {data}: start `make run` first", file=sys.stderr)
        return 2
    folder = prepare(data, scrape_s=arguments.scrape_s)
    try:
        words = command(folder, port=arguments.port)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    pages = f"http://127.0.0.1:{arguments.port}/consoles"
    print(f"Graphs: {pages}/overview.html  Alerts: {pages}/alerts.html  Ctrl-C stops it.", flush=True)
    os.execv(words[0], words)  # noqa: S606 - the process becomes Prometheus, so that Ctrl-C and SIGTERM reach it


def _write(_: argparse.Namespace) -> int:
    for board in BOARDS:
        (DASHBOARDS / f"{board.name}.json").write_text(dashboard(board))
    return 0


if __name__ == "__main__":
    sys.exit(main())
