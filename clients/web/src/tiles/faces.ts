// The faces of the 42 tiles, drawn by hand as paths on a field 60 wide and 80 high. No font is needed but for the index.

/** One path of a face. */
export interface Stroke {
  d: string;
  fill?: string;
  stroke?: string;
  width?: number;
}

/** A face: its art, and the index in the corner that tells it without the art. */
export interface Face {
  strokes: Stroke[];
  index: string;
  indexColor: string;
}

const ink = "#1d2b3a";
const red = "#b8322a";
const green = "#1c7a46";
const blue = "#1f5c99";
const gold = "#b07d1e";

/** The face of a tile code. */
export function faceOf(code: string): Face {
  const number = Number.parseInt(code, 10);
  switch (code.slice(-1)) {
    case "b":
      return { strokes: bamboo(number), index: String(number), indexColor: green };
    case "c":
      return { strokes: characters(number), index: String(number), indexColor: ink };
    case "d":
      return { strokes: circles(number), index: String(number), indexColor: blue };
  }
  const index = code.slice(-1);
  if (code.startsWith("f")) return { strokes: flower(Number(index)), index, indexColor: red };
  if (code.startsWith("s")) return { strokes: season(Number(index)), index, indexColor: blue };
  return { strokes: honour(code), index: code, indexColor: honourColors[code] ?? ink };
}

// --- circles ---------------------------------------------------------------------------------------------------------

type Point = readonly [x: number, y: number];

/** Where the pips of a number stand, on a field from 0 to 1 both ways. */
const pips: Readonly<Record<number, readonly Point[]>> = {
  2: column(0.5, [0.24, 0.76]),
  3: [
    [0.2, 0.15],
    [0.5, 0.5],
    [0.8, 0.85],
  ],
  4: grid([0.25, 0.75], [0.24, 0.76]),
  5: [...grid([0.2, 0.8], [0.17, 0.83]), [0.5, 0.5]],
  6: grid([0.27, 0.73], [0.16, 0.5, 0.84]),
  7: [[0.16, 0.07], [0.5, 0.19], [0.84, 0.31], ...grid([0.28, 0.72], [0.6, 0.88])],
  8: grid([0.28, 0.72], [0.11, 0.37, 0.63, 0.89]),
  9: grid([0.15, 0.5, 0.85], [0.15, 0.5, 0.85]),
};

const radii = [0, 19, 11, 9, 10, 8.5, 8, 6.6, 6.2, 7];

function circles(number: number): Stroke[] {
  if (number === 1) return bigCircle(30, 46);
  const colors = [blue, green, red];
  return (pips[number] ?? []).flatMap(([x, y], index) => {
    const isHead = number === 7 ? index < 3 : false;
    const color = isHead ? green : number === 7 ? red : (colors[colorIndex(number, index)] ?? blue);
    return pip(9 + 42 * x, 20 + 54 * y, radii[number] ?? 7, color);
  });
}

/** Pips of one row share a colour where the traditional tile does so too. */
function colorIndex(number: number, index: number): number {
  if (number === 9) return Math.floor(index / 3);
  if (number === 6) return index < 2 ? 1 : 2;
  if (number === 8) return 0;
  if (number === 5) return index === 4 ? 2 : index % 2;
  return index % 3;
}

function pip(x: number, y: number, radius: number, color: string): Stroke[] {
  return [
    { d: disc(x, y, radius), fill: color },
    { d: disc(x, y, radius * 0.66), stroke: "#fdfaf2", width: radius * 0.16 },
    { d: disc(x, y, radius * 0.26), fill: "#fdfaf2" },
  ];
}

function bigCircle(x: number, y: number): Stroke[] {
  const petals = Array.from({ length: 12 }, (_, index) => {
    const angle = (index * Math.PI) / 6;
    return disc(x + 14.2 * Math.cos(angle), y + 14.2 * Math.sin(angle), 2.2);
  });
  return [
    { d: disc(x, y, 20), fill: blue },
    { d: petals.join(""), fill: "#fdfaf2" },
    { d: disc(x, y, 9.5), fill: red },
    { d: disc(x, y, 9.5), stroke: "#fdfaf2", width: 1.6 },
    { d: disc(x, y, 3.6), fill: "#fdfaf2" },
  ];
}

// --- bamboo ----------------------------------------------------------------------------------------------------------

function bamboo(number: number): Stroke[] {
  if (number === 1) return bird();
  const sticks: Readonly<Record<number, readonly (readonly Point[])[]>> = {
    2: [column(0.5, [0.24, 0.76])],
    3: [column(0.5, [0.24]), grid([0.24, 0.76], [0.76])],
    4: [grid([0.24, 0.76], [0.24, 0.76])],
    5: [grid([0.16, 0.84], [0.24, 0.76]), column(0.5, [0.5])],
    6: [grid([0.16, 0.5, 0.84], [0.24, 0.76])],
    7: [column(0.5, [0.14]), grid([0.16, 0.5, 0.84], [0.5, 0.86])],
    8: [grid([0.08, 0.36, 0.64, 0.92], [0.24, 0.76])],
    9: [grid([0.16, 0.84], [0.14, 0.5, 0.86]), column(0.5, [0.14, 0.5, 0.86])],
  };
  const isThreeHigh = number === 7 || number === 9;
  const height = isThreeHigh ? 16.5 : 24;
  return (sticks[number] ?? []).flatMap((points, group) =>
    points.flatMap(([x, y], index) => {
      const isRed = (number === 5 && group === 1) || (number === 7 && group === 0) || (number === 9 && group === 1);
      const isBlue = number === 8 ? index % 4 > 1 : number === 6 && index % 2 === 1;
      return stick(9 + 42 * x, 20 + 54 * y, height, isRed ? red : isBlue ? blue : green);
    }),
  );
}

function stick(x: number, y: number, height: number, color: string): Stroke[] {
  const top = y - height / 2;
  const bottom = y + height / 2;
  return [
    { d: `M${x} ${top + 2.6}V${bottom - 2.6}`, stroke: color, width: 6.2 },
    {
      d: `M${x - 3.4} ${top + 1.6}H${x + 3.4}M${x - 3.4} ${y}H${x + 3.4}M${x - 3.4} ${bottom - 1.6}H${x + 3.4}`,
      stroke: color,
      width: 2.4,
    },
    { d: `M${x} ${top + 4.4}V${y - 2.6}M${x} ${y + 2.6}V${bottom - 4.4}`, stroke: "#fdfaf2", width: 1.1 },
  ];
}

function bird(): Stroke[] {
  return [
    { d: "M14 66C20 60 24 58 28 58M10 60C18 56 23 55 27 56M20 72C23 66 27 62 31 60", stroke: green, width: 3 },
    { d: "M24 58C22 46 28 38 36 38C44 38 46 46 42 53C38 60 30 62 24 58Z", fill: green },
    { d: "M29 54C30 47 35 44 40 46C39 52 34 55 29 54Z", fill: blue },
    { d: disc(41, 32, 6.4), fill: red },
    { d: "M46.5 30L53 32.5L46.5 35Z", fill: gold },
    { d: disc(42.6, 30.8, 1.4), fill: "#fdfaf2" },
    { d: "M39 26L36 20M42 25.5L42 19", stroke: red, width: 1.8 },
    { d: "M33 61V70M38 59V70M29 71H41", stroke: gold, width: 2 },
  ];
}

// --- characters and honours: strokes on a square from 0 to 100 -------------------------------------------------------

const numerals = [
  "",
  "M5 50H95",
  "M20 26H80M5 80H95",
  "M18 16H82M26 50H74M5 86H95",
  "M12 18H88V86H12ZM38 20C38 48 34 58 22 66M60 20V52Q60 60 70 60H80",
  "M12 13H88M48 13L34 86M20 48H74L70 86M4 88H96",
  "M46 4L54 22M4 36H96M36 52Q28 76 8 94M62 52Q74 74 94 94",
  "M4 50L96 34M42 6V76Q42 88 56 88H80Q90 88 90 70",
  "M36 16Q34 60 6 92M52 10Q62 62 96 92",
  "M38 4Q40 62 6 94M8 36H66V76Q66 90 80 90Q94 90 94 70",
];

const tenThousand =
  "M4 13H96M32 2V24M68 2V24M24 31H76V57H24ZM24 44H76M50 31V70M12 98V66H88V90Q88 98 76 96M50 70L36 86L64 84M57 76L66 90";

const honourPaths: Readonly<Record<string, string>> = {
  E: "M8 17H92M22 31H78V62H22ZM22 46H78M50 2V98M46 62Q34 82 6 92M54 62Q66 82 94 92",
  S: "M8 17H92M50 2V33M12 98V34H88V88Q88 97 74 95M37 43L43 55M63 43L57 55M28 58H72M26 74H74M50 58V94",
  W: "M4 12H96M37 12V42Q37 56 24 66M61 12V54Q61 62 70 62H86M12 34H88V94H12Z",
  N: "M35 6V94M6 36H35M3 86L35 70M62 6V78Q62 91 76 91H84Q95 91 95 72M92 28L62 50",
  R: "M14 27H86V64H14ZM50 2V100",
  G: "M12 10H40Q32 34 4 46M12 24L24 34M56 4Q68 32 98 46M84 6L68 20M94 20L78 32M14 54H42V66H16V78H44Q44 98 28 96M62 52Q62 64 52 72M62 52H82V64Q82 70 94 68M54 76H86Q76 94 50 99M62 82Q74 96 96 98",
};

const honourColors: Readonly<Record<string, string>> = { R: red, G: green, P: blue };

function characters(number: number): Stroke[] {
  return [
    { d: scaled(numerals[number] ?? "", 15, 19, 30, 22), stroke: ink, width: 3.2 },
    { d: scaled(tenThousand, 15, 46, 30, 29), stroke: red, width: 2.6 },
  ];
}

function honour(code: string): Stroke[] {
  if (code === "P") {
    return [
      { d: "M13 24H47V72H13Z", stroke: blue, width: 3.4 },
      { d: "M19 30H41V66H19Z", stroke: blue, width: 1.6 },
    ];
  }
  const path = scaled(honourPaths[code] ?? "", 12, 24, 36, 48);
  return [{ d: path, stroke: honourColors[code] ?? ink, width: code === "G" ? 3 : 3.8 }];
}

// --- flowers and seasons ---------------------------------------------------------------------------------------------

function flower(number: number): Stroke[] {
  switch (number) {
    case 1: // plum
      return [branch(), ...blossom(36, 36, 5, 6.4, red), ...blossom(22, 56, 5, 5, "#d46a63")];
    case 2: // orchid
      return [
        { d: "M30 74C28 60 20 50 10 44M30 74C30 58 34 46 46 36M30 74C33 64 42 58 52 58", stroke: green, width: 2.8 },
        ...blossom(30, 38, 5, 5.6, "#7a4fa0"),
      ];
    case 3: // chrysanthemum
      return [
        { d: "M30 52V74M30 68C24 66 20 62 18 58M30 64C36 63 40 60 42 56", stroke: green, width: 2.6 },
        ...blossom(30, 38, 11, 9.6, gold),
      ];
    default: // bamboo
      return [
        { d: "M24 74V26M38 74V34", stroke: green, width: 4 },
        { d: "M20.5 42H27.5M20.5 58H27.5M34.5 48H41.5M34.5 62H41.5", stroke: "#fdfaf2", width: 1.4 },
        {
          d: "M25 32C32 24 40 24 46 27C40 33 32 35 25 32ZM23 46C16 40 11 41 8 45C13 50 19 50 23 46ZM39 40C45 37 50 40 52 45C46 47 41 46 39 40Z",
          fill: green,
        },
      ];
  }
}

function season(number: number): Stroke[] {
  switch (number) {
    case 1: // spring: a sprout
      return [
        { d: "M30 74V46", stroke: green, width: 3.2 },
        { d: "M30 50C16 50 11 40 11 31C24 31 30 39 30 50ZM30 46C30 35 36 27 49 27C49 38 43 46 30 46Z", fill: green },
        { d: "M16 74H44", stroke: gold, width: 3 },
      ];
    case 2: // summer: a sun
      return [
        { d: disc(30, 47, 10), fill: red },
        { d: rays(30, 47, 14.5, 20.5, 12), stroke: gold, width: 2.8 },
      ];
    case 3: // autumn: a leaf
      return [
        { d: "M30 22C44 32 48 46 42 60C38 65 34 66 30 66C26 66 22 65 18 60C12 46 16 32 30 22Z", fill: gold },
        { d: "M30 32V76M30 44L39 37M30 44L21 37M30 55L40 48M30 55L20 48", stroke: "#7a4a12", width: 1.8 },
      ];
    default: // winter: a snow crystal
      return [
        { d: rays(30, 47, 0, 21, 6), stroke: blue, width: 3 },
        { d: twigs(30, 47), stroke: blue, width: 2.2 },
      ];
  }
}

function branch(): Stroke {
  return { d: "M14 74C18 64 26 60 30 52C34 46 34 44 36 38M26 59C24 58 23 57 22 56", stroke: "#6b4a2b", width: 2.8 };
}

function blossom(x: number, y: number, petals: number, size: number, color: string): Stroke[] {
  const reach = size * 0.95;
  const radius = petals > 6 ? size * 0.34 : size * 0.62;
  const ring = Array.from({ length: petals }, (_, index) => {
    const angle = (2 * Math.PI * index) / petals - Math.PI / 2;
    return disc(x + reach * Math.cos(angle), y + reach * Math.sin(angle), radius);
  });
  return [
    { d: ring.join(""), fill: color },
    { d: disc(x, y, petals > 6 ? size * 0.7 : size * 0.42), fill: petals > 6 ? color : gold },
    ...(petals > 6 ? [{ d: disc(x, y, size * 0.34), fill: "#7a4a12" }] : []),
  ];
}

// --- geometry --------------------------------------------------------------------------------------------------------

function grid(xs: readonly number[], ys: readonly number[]): Point[] {
  return ys.flatMap((y) => xs.map((x): Point => [x, y]));
}

function column(x: number, ys: readonly number[]): Point[] {
  return ys.map((y): Point => [x, y]);
}

function disc(x: number, y: number, radius: number): string {
  const [left, r] = [round(x - radius), round(radius)];
  return `M${left} ${round(y)}a${r} ${r} 0 1 0 ${round(2 * r)} 0a${r} ${r} 0 1 0 ${round(-2 * r)} 0Z`;
}

function rays(x: number, y: number, from: number, to: number, count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const angle = (2 * Math.PI * index) / count - Math.PI / 2;
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    return `M${round(x + from * dx)} ${round(y + from * dy)}L${round(x + to * dx)} ${round(y + to * dy)}`;
  }).join("");
}

function twigs(x: number, y: number): string {
  return Array.from({ length: 6 }, (_, index) => {
    const angle = (Math.PI * index) / 3 - Math.PI / 2;
    return [-0.7, 0.7]
      .map((turn) => {
        const [fromX, fromY] = [x + 11 * Math.cos(angle), y + 11 * Math.sin(angle)];
        const [toX, toY] = [fromX + 7 * Math.cos(angle + turn), fromY + 7 * Math.sin(angle + turn)];
        return `M${round(fromX)} ${round(fromY)}L${round(toX)} ${round(toY)}`;
      })
      .join("");
  }).join("");
}

/** Moves a path of absolute M, L, H, V, C, Q commands from a square of 100 into a box. */
function scaled(path: string, left: number, top: number, width: number, height: number): string {
  return path.replace(/([MLHVCQZ])([^MLHVCQZ]*)/g, (_, command: string, numbers: string) => {
    const values = (numbers.match(/-?[\d.]+/g) ?? []).map(Number);
    const moved = values.map((value, index) => {
      const isY = command === "V" || (command !== "H" && index % 2 === 1);
      return round(isY ? top + (value * height) / 100 : left + (value * width) / 100);
    });
    return command + moved.join(" ");
  });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
