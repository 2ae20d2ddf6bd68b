"""The examples of docs/engine.md run as they stand there."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "engine.md"


def test_the_example_of_playing_a_hand_runs_to_the_end_of_a_match(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})
    scores, places = re.findall(r"\(([^)]*)\)", capsys.readouterr().out)
    assert sum(map(int, scores.split(","))) == 8_000
    assert min(map(int, places.split(","))) == 1
