import { expect, test } from '@jest/globals';
import { csvHead, csvLine } from '../../src/foundation/csv.ts';

test.each([
  [['a', 1, null], '"a";"1";""\r\n'],
  [['say "no"', 'a,b', 'two\r\nlines'], '"say ""no""";"a,b";"two\r\nlines"\r\n'],
  [['=1+1', '+33', '-1', '@sum', '|x'], `"'=1+1";"'+33";"'-1";"'@sum";"'|x"\r\n`],
  [['\t=1', '\r=1', '\n=1', 'a=1'], `"\t'=1";"\r'=1";"\n'=1";"a=1"\r\n`],
  [['\uFF1D1', ' =1'], `"'\uFF1D1";"' =1"\r\n`],
  [[-1], '"-1"\r\n'],
  [[{ decimal: '-1.50' }, { decimal: '-1+cmd' }, '-1.50'], `"-1.50";"'-1+cmd";"'-1.50"\r\n`],
])('writes the cells %j as the line %j', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

test.each([';', ',', '\t', '\n', '\r\n', ';;', ', '])('writes %j so that it starts no formula', (separator) => {
  const attack = `x${separator}=cmd|'/c calc'!A0`;
  const cells = csvLine([attack])
    .slice(0, -2)
    .split(/[;,\t\r\n]/);
  expect(cells.filter((cell) => /^"? *=/.test(cell))).toEqual([]);
});

test('begins a file with a byte order mark, by which Excel recognizes UTF-8', () => {
  expect(Buffer.from(csvHead(['été'])).toString('hex')).toMatch(/^efbbbf22c3a9/);
});
