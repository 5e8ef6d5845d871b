import { expect, test } from '@jest/globals';
import { csvLine } from '../../src/support-site/frame/csv.rules.ts';

test.each([
  [['a', 1, null], 'a,1,\r\n'],
  [['say "no"', 'a,b', 'two\r\nlines'], '"say ""no""","a,b","two\r\nlines"\r\n'],
  [['=1+1', '+33', '-1', '@sum'], `'=1+1,'+33,'-1,'@sum\r\n`],
  [['\t=1', '\r=1', '\n=1', 'a=1'], `'\t=1,"'\r=1","'\n=1",a=1\r\n`],
  [[-1], '-1\r\n'],
])('the cells %j are the line %j', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});
