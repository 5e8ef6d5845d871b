import { expect, test } from '@jest/globals';
import { connectionAllowance } from '../../src/platform/http/connection-limit.ts';
import { testSettings } from '../support/test-settings.ts';

test.each([
  [64, 32, 8],
  [256, 128, 32],
  [1_024, 768, 192],
  [4_096, 3_840, 960],
  [20_000, 5_000, 1_250],
  [Number.MAX_SAFE_INTEGER, 5_000, 1_250],
])('with %i open files allowed, accepts %i connections, %i of one address', (openFiles, max, perAddressMax) => {
  expect(connectionAllowance(testSettings({}), openFiles)).toEqual({ max, perAddressMax });
});

test('limits no address behind proxies', () => {
  expect(connectionAllowance(testSettings({ HTTP_PROXIES: '1' }), 1_024)).toEqual({ max: 768 });
});
