"""Plans the waves of a pool: who sits together now, and not beside somebody whom they have blocked."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from mahjong_matchmaker.blocks import BlockList
from mahjong_matchmaker.grouping import Blocks
from mahjong_matchmaker.ticket import WaitingTicket
from mahjong_matchmaker.waves import Group, Wave, WaveRules, plan

_ATTEMPTS: Final = 3
"""Each finds blocks that the one before did not know; whoever is still beside somebody then waits for the next wave."""


async def plan_wave(
    tickets: Sequence[WaitingTicket], now_ms: int, rules: WaveRules, blocks: BlockList, *, are_all: bool
) -> Wave:
    """Returns who shall play now, as `waves.plan` does, after asking who must not meet."""
    wave = plan(tickets, now_ms, rules, blocks.known, are_all=are_all)
    for _ in range(_ATTEMPTS):
        seated = [ticket.player_id for group in wave.groups if len(group) > 1 for ticket in group]
        if not seated or not await blocks.learn(seated):
            return wave
        wave = plan(tickets, now_ms, rules, blocks.known, are_all=are_all)
    return replace(wave, groups=tuple(group for group in wave.groups if not _is_blocked(group, blocks.known)))


def _is_blocked(group: Group, blocks: Blocks) -> bool:
    return any(other.player_id in blocks.get(one.player_id, ()) for one, other in combinations(group, 2))
