"""The commands `mahjong admin ratings …`."""

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from mahjong_cli.admin.line import Line
from mahjong_cli.lines import tell
from mahjong_kit.fields import value_of
from mahjongplanet.game.v1.terms_pb2 import RULE_SET_UNSPECIFIED, RuleSet
from mahjongplanet.rating.v1 import admin_service_pb2 as pb
from mahjongplanet.rating.v1.admin_service_pb2_grpc import AdminServiceStub

_HOURS_S: Final = 6 * 3600.0

ratings = typer.Typer(no_args_is_help=True, help="Checks ratings against results.")


class RatedRuleSet(StrEnum):
    """Rule sets by name."""

    CLASSICAL = "classical"
    TAIWANESE = "taiwanese"


@ratings.command()
def recompute(
    context: typer.Context,
    *,
    rule_set: Annotated[RatedRuleSet | None, typer.Option(help="One rule set only.")] = None,
    address: Annotated[str, typer.Option(help="The rating service.")] = "127.0.0.1:7004",
) -> None:
    """Rates all matches again and writes what is stored otherwise, one line each; the last line sums up.

    Changes nothing. The exit status is 1 if anything differs.
    """
    line: Line = replace(context.obj, address=address, stub=AdminServiceStub, timeout_s=_HOURS_S)
    wanted = RULE_SET_UNSPECIFIED if rule_set is None else value_of(RuleSet, rule_set.value)

    async def ask(stub: Any) -> pb.RecomputeSummary:
        summary = pb.RecomputeSummary()
        async for part in stub.RecomputeRatings(pb.RecomputeRatingsRequest(rule_set=wanted), timeout=_HOURS_S):
            if part.HasField("difference"):
                tell(part.difference)
            else:
                summary.CopyFrom(part.summary)
        return summary

    summary = line.call(ask)
    tell(summary)
    raise typer.Exit(int(summary.difference_count > 0))
