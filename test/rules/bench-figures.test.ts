import { describe, expect, test } from '@jest/globals';
import { contest, describeContest, isSteady } from '../bench/contenders.ts';
import type { Load } from '../bench/load.ts';
import { compareResults } from '../bench/results.ts';

const loadOf = (perSecond: number): Load => ({ perSecond, p50: 1, p99: 2, requests: 10, failed: 0, non2xx: 0 });
const surroundings = { at: '2026-01-01T00:00:00.000Z', commit: 'abc', machine: 'm', versions: 'v' };

describe('figures of the bench', () => {
  test('treats a contender as warm when its last three windows agree within 5 %', () => {
    expect(isSteady([100, 100])).toBe(false);
    expect(isSteady([50, 100, 102, 105])).toBe(true);
    expect(isSteady([100, 102, 105.2])).toBe(false);
  });

  test('warms up until then, and measures rounds in alternating order', async () => {
    const calls: string[] = [];
    const contender = (name: string, windows: number[]) => ({
      name,
      run: async (_seconds: number, isCounted: boolean) => {
        calls.push(`${name}${isCounted ? '!' : ''}`);
        return loadOf(windows.shift() ?? 7);
      },
    });
    const found = await contest('w', [contender('a', [1, 5, 5, 5]), contender('b', [9, 9, 9, 3])], {
      seconds: 1,
      rounds: 2,
    });
    expect(calls.join(' ')).toBe('a a a a b b b a! b! b! a!');
    expect(found.map(({ contender: name, perSecond }) => [name, perSecond])).toStrictEqual([
      ['a', [7, 7]],
      ['b', [3, 7]],
    ]);
    expect(describeContest('title', found)).toMatch(
      /^title\n {2}a .* 7\/s \(7-7\).*\n {2}b .*\/s \(3-7\).*gangway reaches /,
    );
  });

  test('compares what two runs have in common', () => {
    const run = (rate: number, us: number[]) => ({
      ...surroundings,
      measured: [
        { what: 'validate', contender: 'gangway', perSecond: [rate], microseconds: { gangway: us } },
        { what: `only ${rate}`, contender: 'gangway', perSecond: [1] },
      ],
    });
    const lines = compareResults(run(100, [20, 10]), run(150, [5, 30]));
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/validate: gangway +100 -> 150\/s \(1\.50\) +gangway 10 -> 5 us \(0\.50\)$/);
  });
});
