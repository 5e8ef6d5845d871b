import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLORS_MAX = 256;

/** Writes a screenshot again with at most 256 colors, which makes it about half as large. */
export function indexedPng(screenshot: Buffer): Buffer {
  const { width, height, channels, rows } = readPng(screenshot);
  const colors = new Map<number, number>();
  const colorAt = (row: Buffer, x: number) => row.readUIntBE(x * channels, 3);
  for (const row of rows) {
    for (let x = 0; x < width; x += 1) {
      const color = colorAt(row, x);
      colors.set(color, (colors.get(color) ?? 0) + 1);
    }
  }
  const palette = [...colors]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, COLORS_MAX)
    .map(([color]) => color);
  const indexes = new Map([...colors.keys()].map((color) => [color, nearest(palette, color)]));
  const lines = rows.map((row) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => indexes.get(colorAt(row, x))!)]),
  );
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits, a palette, and no interlacing.
  head.set([8, 3, 0, 0, 0], 8);
  const entries = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  const data = deflateSync(Buffer.concat(lines), { level: 9 });
  const chunks = [chunk('IHDR', head), chunk('PLTE', entries), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

function nearest(palette: readonly number[], color: number): number {
  let [best, least] = [0, Infinity];
  for (const [index, one] of palette.entries()) {
    const [red, green, blue] = [16, 8, 0].map((by) => ((one >> by) & 255) - ((color >> by) & 255)) as [
      number,
      number,
      number,
    ];
    const distance = red * red + green * green + blue * blue;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Reads the rows of pixels of a PNG with 8 bits a channel, as browsers write it. */
function readPng(png: Buffer): { width: number; height: number; channels: number; rows: Buffer[] } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const filtered = inflateSync(Buffer.concat(data));
  const size = width * channels;
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y += 1) {
    const start = y * (size + 1);
    const row = Buffer.from(filtered.subarray(start + 1, start + 1 + size));
    unfilter(filtered[start]!, row, rows.at(-1) ?? Buffer.alloc(size), channels);
    rows.push(row);
  }
  return { width, height, channels, rows };
}

/** Restores a row from its differences to the pixels on its left and above. */
function unfilter(filter: number, row: Buffer, above: Buffer, channels: number): void {
  for (let x = 0; x < row.length; x += 1) {
    const [left, up, corner] = [row[x - channels] ?? 0, above[x]!, above[x - channels] ?? 0];
    const add = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
    row[x] = (row[x]! + add) & 255;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(estimate - one)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
