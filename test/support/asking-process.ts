import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/platform/database/database.ts';
import { entities } from '../../src/processes/entities.ts';
import { createLog } from '../../src/platform/log.ts';
import { createCallSlots } from '../../src/supply-points/throttle/call-slot.queue.ts';
import { takeSlots } from '../../src/supply-points/throttle/throttle.store.ts';
import { createSge } from '../../src/vendors/network-operator/sge.client.ts';
import { lookUpBudget } from '../../temporal.config.ts';

// A worker's part of the look-ups, as much as can be asked: all lanes ask Enedis without end, each in its slot.
//   DATABASE_URL=... OPERATOR_URL=... node test/support/asking-process.ts

const database = await openDatabase({
  url: process.env['DATABASE_URL'] as string,
  entities,
  poolSize: 2,
  log: createLog({ level: 'silent', process: 'asking' }),
  applicationName: 'asking',
});
const operator = createSge({
  baseUrl: process.env['OPERATOR_URL'] as string,
  login: 'test@supplier.example',
  limits: lookUpBudget.call,
});
const taker = randomUUID();
const slots = createCallSlots((wanted) => takeSlots(database, 'enedis', taker, wanted));
let asked = 0;

const lane = async (): Promise<never> => {
  for (;;) {
    const slot = await slots.next({ owner: 'one', endsAt: performance.now() + 5_000 });
    if (slot.isFree) {
      await operator.lookUp(String(25_000_000_000_000 + (asked += 1)), { turn: slot.turn }).catch(() => {});
    } else await sleep(Math.min(slot.waitSeconds ?? 1, 1) * 1_000);
  }
};
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
await Promise.all(Array.from({ length: lookUpBudget.pagesAtOnce * lookUpBudget.callsAtOnce }, lane));
