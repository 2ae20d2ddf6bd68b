"""What a client knows that adds up the events of its seat."""

from mahjong_engine.event import BonusShown, Claimed, Discarded, Drew, HandDealt, HandEnded, KongDeclared, KongRobbed
from mahjong_engine.meld import MeldKind


class Told:
    """Own concealed tiles and all that is public."""

    def __init__(self, seat):
        self.seat = seat
        self.bonus, self.ponds, self.melds = ([[], [], [], []] for _ in range(3))
        self.concealed = []
        self.result = None

    def add(self, event):
        add = {
            HandDealt: self._dealt,
            BonusShown: self._shown,
            Drew: self._drew,
            Discarded: self._discarded,
            Claimed: self._claimed,
            KongDeclared: self._kong_declared,
            KongRobbed: self._kong_robbed,
            HandEnded: self._ended,
        }.get(type(event))
        if add:
            add(event)

    def _dealt(self, event):
        self.concealed = list(event.concealed[self.seat])
        self.live_left, self.reserve_left = event.live_tiles_left, event.reserve_tiles_left

    def _shown(self, event):
        self.bonus[event.seat].append(event.tile)
        if event.seat == self.seat:
            self.concealed.remove(event.tile)

    def _drew(self, event):
        self.live_left, self.reserve_left = event.live_tiles_left, event.reserve_tiles_left
        if event.seat == self.seat:
            self.concealed.append(event.tile)

    def _discarded(self, event):
        self.ponds[event.seat].append(event.tile)
        if event.seat == self.seat:
            self.concealed.remove(event.tile)

    def _claimed(self, event):
        self.ponds[event.meld.from_seat].pop()
        self.melds[event.seat].append((event.meld.kind, event.meld.tile))
        if event.seat == self.seat:
            own = list(event.meld.tiles)
            own.remove(event.meld.claimed)
            for tile in own:
                self.concealed.remove(tile)

    def _kong_declared(self, event):
        melds = self.melds[event.seat]
        copies = 4
        if event.kind is MeldKind.PROMOTED_KONG:
            melds[melds.index((MeldKind.PUNG, event.tile))] = (event.kind, event.tile)
            copies = 1
        else:
            melds.append((event.kind, event.tile))
        if event.seat == self.seat:
            for _ in range(copies):
                self.concealed.remove(event.tile)

    def _kong_robbed(self, event):
        melds = self.melds[event.seat]
        if (MeldKind.PROMOTED_KONG, event.tile) in melds:
            melds[melds.index((MeldKind.PROMOTED_KONG, event.tile))] = (MeldKind.PUNG, event.tile)
        else:
            melds.remove((MeldKind.CONCEALED_KONG, event.tile))
            if event.seat == self.seat:
                self.concealed += [event.tile] * 3

    def _ended(self, event):
        self.result = event
