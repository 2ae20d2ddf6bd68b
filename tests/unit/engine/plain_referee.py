"""A second judge of hand records' decisions, on the plain game."""

from tests.unit.engine.plain_game import GAMES

UNNAMED = ("continue", "original_call", "no_original_call", "pung", "win", "pass", "rob_flower")


def read(decision, game):
    """Returns a decision's action as the plain game writes it."""
    do = decision["do"]
    if do == "discard":
        return do, decision["tile"], decision["original_call"]
    if do == "chow":
        return do, *decision["tiles"]
    if do == "kong" and decision["kind"] == "claimed_kong":
        return do, decision["kind"], game.offered
    if do == "kong":
        return do, decision["kind"], decision["tile"]
    return (do,)


def judge(record):
    """Returns (index of the first decision that cannot stand or None, how the hand ended or None)."""
    game = GAMES[record["rule_set"]](record["wall"], record["dealer"])
    decisions = record["decisions"]
    index = 0
    while index < len(decisions):
        if game.end:
            return index, game.end
        given = {}
        for seat in game.asked:
            if index < len(decisions) and decisions[index]["seat"] == seat:
                action = read(decisions[index], game)
                if action not in game.asked[seat]:
                    return index, None
                if decisions[index].get("timeout") and action != game.default(seat):
                    return index, None
                given[seat] = action
                index += 1
        if not game.settle(given):
            return index, None
    return (None, game.end) if game.end else (len(decisions), None)
