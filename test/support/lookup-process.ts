import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { createCallSlots } from '../../src/supply-points/throttle/call-slot.queue.ts';
import { Throttle } from '../../src/supply-points/supply-point.entity.ts';
import { reserveSlots } from '../../src/supply-points/throttle/throttle.store.ts';
import { createSge } from '../../src/vendors/network-operator/sge.client.ts';
import { lookupBudget } from '../../temporal.config.ts';

// The lookup calls of a worker as a separate process. After the message 'ask', all loops call Enedis, each in its slot,
// until the message 'rest'. The process sends 'ask' when they begin, and 'rest' when all loops are idle, also at the
// start. Run: DATABASE_URL=... OPERATOR_URL=... node test/support/lookup-process.ts

const database = await openDatabase({
  url: process.env['DATABASE_URL'] as string,
  // Only the required entity, because each one takes time to load.
  entities: [Throttle],
  poolSize: 2,
  log: createLog({ level: 'silent', process: 'asking' }),
  applicationName: 'asking',
});
const operator = createSge({
  baseUrl: process.env['OPERATOR_URL'] as string,
  login: 'test@supplier.example',
  limits: lookupBudget.call,
});
const workerId = randomUUID();
const slots = createCallSlots((wanted) => reserveSlots(database, 'enedis', workerId, wanted));
const LOOPS = lookupBudget.pagesAtOnce * lookupBudget.callsAtOnce;
let calls = 0;
let isActive = false;
let idle = 0;
const commands = new EventEmitter().setMaxListeners(0);

/** Reports 'rest' when the last loop is idle, because only then no call is in progress. */
async function waitForStart(): Promise<void> {
  idle += 1;
  if (idle === LOOPS) process.send?.('rest');
  await once(commands, 'ask');
  idle -= 1;
}

const loop = async (): Promise<never> => {
  for (;;) {
    if (!isActive) await waitForStart();
    const slot = await slots.next({ owner: 'one', endsAt: performance.now() + 5_000 });
    if (slot.isFree) {
      await operator.lookup(String(25_000_000_000_000 + (calls += 1)), { slot: slot.sendSlot }).catch(() => {});
    } else await sleep(Math.min(slot.waitSeconds ?? 1, 1) * 1_000);
  }
};
process.on('message', (message: 'ask' | 'rest') => {
  isActive = message === 'ask';
  if (!isActive) return;
  commands.emit('ask');
  process.send?.('ask');
});
process.on('disconnect', () => process.exit(0));
await Promise.all(Array.from({ length: LOOPS }, loop));
