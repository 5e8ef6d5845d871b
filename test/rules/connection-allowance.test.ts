import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { connectionAllowance } from '../../src/platform/http/connection-allowance.ts';
import { readSettings } from '../../src/platform/settings.ts';

function allowance(source: Record<string, string>, openFiles: number) {
  const lines: string[] = [];
  const log = pino(
    {},
    {
      write: (line: string) => {
        lines.push(line);
      },
    },
  );
  return { ...connectionAllowance(readSettings(source), log, openFiles), warnings: lines.length };
}

test.each([
  [64, 32, 8],
  [256, 128, 32],
  [1_024, 768, 192],
  [4_096, 3_840, 960],
  [20_000, 5_000, 1_250],
  [Number.MAX_SAFE_INTEGER, 5_000, 1_250],
])('with %i open files allowed, accepts %i connections, %i of one address', (openFiles, max, perAddressMax) => {
  expect(allowance({}, openFiles)).toEqual({ max, perAddressMax, warnings: 0 });
});

test('applies settings within the limit of open files', () => {
  expect(allowance({ HTTP_CONNECTIONS_MAX: '12000', HTTP_CONNECTIONS_PER_ADDRESS_MAX: '70' }, 20_000)).toEqual({
    max: 12_000,
    perAddressMax: 70,
    warnings: 0,
  });
  expect(allowance({ HTTP_CONNECTIONS_MAX: '12000' }, 1_024)).toEqual({ max: 768, perAddressMax: 192, warnings: 1 });
});

test('limits no address behind proxies unless configured; 0 disables the limit', () => {
  expect(allowance({ HTTP_PROXIES: '1' }, 1_024)).toMatchObject({ max: 768, perAddressMax: undefined });
  expect(allowance({ HTTP_PROXIES: '1', HTTP_CONNECTIONS_PER_ADDRESS_MAX: '300' }, 1_024)).toMatchObject({
    perAddressMax: 300,
  });
  expect(allowance({ HTTP_CONNECTIONS_PER_ADDRESS_MAX: '0' }, 1_024)).toMatchObject({ perAddressMax: undefined });
});
