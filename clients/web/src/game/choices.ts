// The legal answers that the server sends, laid out for a person: discards on the tiles, everything else on buttons.
import { ActionKind, MeldKind, type Action } from "../gen/mahjongplanet/game/v1/terms_pb";
import type { Decision } from "../gen/mahjongplanet/table/v1/event_pb";
import { sortTiles } from "../tiles/codes";

/** A button: one legal answer, its key, and the tiles that it is about. */
export interface Choice {
  action: Action;
  /** The key that presses it, as KeyboardEvent.key in lower case. */
  key: string;
  /** The whole set that it would make, or the tile; empty if it is about none. */
  tiles: string[];
}

/** Everything that the viewer may answer now. */
export interface Choices {
  buttons: Choice[];
  /** Legal discards without an Original Call, by tile. */
  discards: ReadonlyMap<string, Action>;
  /** Legal discards with an Original Call, by tile. */
  calls: ReadonlyMap<string, Action>;
}

/** Kinds in the order of their buttons, each with its key. Several answers of one kind take digits instead. */
const kinds: readonly { kind: ActionKind; key: string }[] = [
  { kind: ActionKind.WIN, key: "w" },
  { kind: ActionKind.ROB_FLOWER, key: "w" },
  { kind: ActionKind.ORIGINAL_CALL, key: "o" },
  { kind: ActionKind.KONG, key: "k" },
  { kind: ActionKind.PUNG, key: "p" },
  { kind: ActionKind.CHOW, key: "c" },
  { kind: ActionKind.CONTINUE, key: "n" },
  { kind: ActionKind.NO_ORIGINAL_CALL, key: "n" },
  { kind: ActionKind.PASS, key: "n" },
];

/** The key that turns the Original Call of a discard on and off. */
export const originalCallKey = "o";

/**
 * Lays a decision out.
 *
 * @param openTile The discard or kong tile that may be claimed; empty if none.
 */
export function choicesOf(decision: Decision | undefined, openTile: string): Choices {
  const options = decision?.options ?? [];
  const byTile = (originalCall: boolean): Map<string, Action> =>
    new Map(
      options
        .filter((action) => action.kind === ActionKind.DISCARD && action.originalCall === originalCall)
        .map((action) => [action.tile, action]),
    );
  return { buttons: buttonsOf(options, openTile), discards: byTile(false), calls: byTile(true) };
}

function buttonsOf(options: readonly Action[], openTile: string): Choice[] {
  let digit = 0;
  return kinds.flatMap(({ kind, key }) => {
    const actions = options.filter((action) => action.kind === kind);
    return actions.map((action) => ({
      action,
      key: actions.length > 1 ? String(++digit) : key,
      tiles: tilesOf(action, openTile),
    }));
  });
}

function tilesOf(action: Action, openTile: string): string[] {
  switch (action.kind) {
    case ActionKind.CHOW:
      return sortTiles([...action.tiles, openTile]);
    case ActionKind.PUNG:
      return [openTile, openTile, openTile];
    case ActionKind.KONG: {
      const tile = action.kongKind === MeldKind.CLAIMED_KONG ? openTile : action.tile;
      return [tile, tile, tile, tile];
    }
    case ActionKind.WIN:
      return openTile === "" ? [] : [openTile];
    default:
      return [];
  }
}
