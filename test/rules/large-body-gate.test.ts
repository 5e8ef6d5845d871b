import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { createLargeBodyGate } from '../../src/platform/http/large-body-gate.ts';

/** The parts of a response that the gate uses. */
const responseOf = (closed: boolean) =>
  Object.assign(new EventEmitter(), { closed, destroyed: false }) as unknown as ServerResponse;

test('reserves no capacity for a client that disconnected before its body reached the gate', async () => {
  const gate = createLargeBodyGate({ capacityBytes: 1_000_000, waitsMs: 5_000, arrivesMs: 5_000 });
  for (let time = 0; time < 10; time += 1) expect(await gate.enter(responseOf(true), 400_000, 'ACME')).toBeUndefined();
  expect(gate.state()).toMatchObject({ bytesInFlight: 0, waiting: 0 });
  const live = responseOf(false);
  expect(await gate.enter(live, 400_000, 'ACME')).toBeUndefined();
  expect(gate.state().bytesInFlight).toBe(400_000);
  live.emit('close');
  expect(gate.state().bytesInFlight).toBe(0);
});
