import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const cursorOf = (...place: unknown[]) => Buffer.from(JSON.stringify(place)).toString('base64url');

test.each([
  'x',
  cursorOf('jobs'),
  cursorOf('jobs', 'no uuid'),
  cursorOf('another form', ''),
  cursorOf('messages', 'a\0b'),
  cursorOf('messages', 'm'.repeat(1_001)),
  cursorOf('runs', 'no base64'),
  // Has the form of a Temporal page token, but is invalid.
  cursorOf('runs', 'AAAA'),
])('rejects a foreign cursor (%s)', async (cursor) => {
  const token = service.operatorToken;
  for (const answer of [
    await service.call('GET', `/v1/operations/checks/?cursor=${cursor}`, { token }),
    await service.call('POST', '/v1/operations/checks/mend/', { token, body: { cursor } }),
  ]) {
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', errors: [{ attr: 'cursor' }] } });
  }
});
