"""Runs the steps of a Containerfile in plain directories, for machines without a container engine.

Each stage is a directory that stands for its root; the folders `/opt` and `/src` of a step are those of the stage. A
base image with Python is a fresh virtual environment. That of a building stage knows the packages of this environment,
so that what the same lock file has brought here already is not fetched again; that of the last stage knows none.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

STEP_TIMEOUT_S = 240
_OWN_FOLDERS = re.compile(r"(?<![\w.-])/(?=(opt|src)/)")


@dataclass
class Stage:
    """One stage: its instructions, and what they have come to."""

    name: str
    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)
    root: Path = Path()
    work: str = "/"
    environment: dict[str, str] = field(default_factory=dict)
    user: str = ""
    entry_point: list[str] = field(default_factory=list)

    @property
    def python(self) -> Path:
        """Python of the stage."""
        return self.root / "usr" / "local" / "bin" / "python"

    def path(self, inside: str) -> Path:
        """Returns where a path of the stage is on this machine."""
        return self.root / (Path(self.work) / inside).relative_to("/")

    def variables(self) -> dict[str, str]:
        """Returns the stage's environment, with its own folders."""
        return {name: self.placed(value) for name, value in self.environment.items()}

    def placed(self, text: str) -> str:
        """Returns text with the paths of the stage as paths of this machine."""
        return _OWN_FOLDERS.sub(f"{self.root}/", text)


def parse(path: Path) -> tuple[dict[str, str], list[Stage]]:
    """Returns the arguments before the first stage, and the stages."""
    text = re.sub(r"^\s*#.*\n", "", path.read_text(), flags=re.MULTILINE)
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        word, _, rest = line.strip().partition(" ")
        if not word:
            continue
        if word == "ARG" and not stages:
            name, _, value = rest.partition("=")
            arguments[name] = value
        elif word == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(name or "final", arguments[base.strip("${}")]))
        else:
            stages[-1].instructions.append((word, rest))
    return arguments, stages


def build(path: Path, context: Path, scratch: Path, given: Mapping[str, Path]) -> Stage:
    """Builds the stages under `scratch`; returns the last.

    Args:
        path: the Containerfile.
        context: the folder that files are copied from.
        scratch: an empty folder.
        given: stages that were built before, by name: their root, or a folder that stands for it.
    """
    _, stages = parse(path)
    done: dict[str, Stage] = {}
    for stage in stages:
        if stage.name in given:
            stage.root = given[stage.name]
            done[stage.name] = stage
            continue
        stage.root = scratch / stage.name
        stage.root.mkdir()
        if "/python:" in stage.base:
            is_last = stage is stages[-1]
            venv.create(stage.root / "usr" / "local", with_pip=not is_last, symlinks=True)
            if not is_last:
                (site,) = stage.root.glob("usr/local/lib/python*/site-packages")
                (site / "here.pth").write_text(sysconfig.get_path("purelib"))
        for word, rest in stage.instructions:
            _carry_out(stage, word, rest, context, done)
        done[stage.name] = stage
    return stages[-1]


def _carry_out(stage: Stage, word: str, rest: str, context: Path, done: dict[str, Stage]) -> None:
    match word:
        case "WORKDIR":
            stage.work = rest
            stage.path(".").mkdir(parents=True, exist_ok=True)
        case "COPY":
            _copy(stage, shlex.split(rest), context, done)
        case "RUN":
            _run(stage, rest)
        case "ENV":
            stage.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        case "USER":
            stage.user = rest
        case "ENTRYPOINT":
            stage.entry_point = json.loads(rest)
        case "LABEL":
            pass
        case _:
            raise AssertionError(f"{word} is not known here")


def _copy(stage: Stage, words: list[str], context: Path, done: dict[str, Stage]) -> None:
    *sources, target = [word for word in words if not word.startswith("--")]
    origin = next((done[word.removeprefix("--from=")] for word in words if word.startswith("--from=")), None)
    to = stage.path(target)
    for source in sources:
        taken = origin.path(source) if origin else context / source
        if taken.is_dir():
            shutil.copytree(taken, to, dirs_exist_ok=True, ignore=_left_out if origin is None else None)
        else:
            folder = to if target.endswith("/") else to.parent
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(taken, folder / taken.name if target.endswith("/") else to)


def _left_out(folder: str, names: list[str]) -> set[str]:
    """Leaves out what .containerignore names."""
    ignored = {name for name in names if name == "__pycache__" or name.endswith(".egg-info")}
    if Path(folder).parts[-2:] == ("clients", "web"):
        ignored |= {"dist", "node_modules"} & set(names)
    return ignored | ({"gen"} & set(names) if Path(folder).parts[-1:] == ("src",) else set())


def _run(stage: Stage, command: str) -> None:
    path = os.pathsep.join((str(stage.python.parent), str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        ["sh", "-ec", stage.placed(command)],
        cwd=stage.path("."),
        env=environment | stage.variables() | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=STEP_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
