"""`python -m deploy.chart`: renders an install, lints the chart, holds every object to the schemas."""

import argparse
import sys
from collections import Counter
from pathlib import Path

import helm_python

from deploy.chart.rendering import CHART, NAMESPACE, RELEASE, lint, objects_of, overlaid, parse_set, read_values, render
from deploy.chart.settings import unknown_settings
from deploy.chart.validation import KUBERNETES, problems


def main() -> int:
    """Checks one install, or the chart's own value files; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deploy.chart", description=__doc__)
    parser.add_argument("--values", "-f", type=Path, action="append", help="a values file; may be repeated")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="as of helm")
    parser.add_argument("--release", default=RELEASE)
    parser.add_argument("--namespace", default=NAMESPACE)
    parser.add_argument("--output", type=Path, help="writes the rendered files to this folder")
    arguments = parser.parse_args()
    installs = [arguments.values] if arguments.values else [[path] for path in sorted(CHART.glob("values-*.yaml"))]
    return max(_check(files, arguments) for files in installs)


def _check(files: list[Path], arguments: argparse.Namespace) -> int:
    name = "+".join(path.stem for path in files)
    try:
        values = overlaid(read_values(*files), parse_set(arguments.set))
        texts = render(values, release=arguments.release, namespace=arguments.namespace)
    except helm_python.HelmError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    objects = list(objects_of(texts))
    found = [*unknown_settings(values), *lint(values)]
    found += (line for version in KUBERNETES for item in objects for line in problems(item, version))
    if arguments.output:
        folder = arguments.output / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            (folder / file).write_text(text)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(item["kind"] for item in objects).items()))
    print(f"{name}: {len(objects)} objects, Kubernetes {', '.join(KUBERNETES)}: {len(found)} problems ({kinds})")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
