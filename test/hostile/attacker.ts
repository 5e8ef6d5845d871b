import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Target } from './attack-load.ts';
import { attacks } from './attacks.ts';

// Runs attacks one after the other in a separate process, so that neither the service nor the bystander shares its
// event loop. A message names an attack; the process reports when it is prepared, begins at the next message, and
// reports the responses it received.

/** The request for an attack. */
export interface AttackOrder {
  name: string;
  target: Target;
}

/** Real attackers have other machines: here they use only the processor time that is left. */
const LEAST_PRIORITY = 10;

setPriority(LEAST_PRIORITY);
// The parent process has ended.
process.once('disconnect', () => process.exit());
try {
  // If Linux schedules by session, a process's priority counts within its session only (sched(7)).
  writeFileSync('/proc/self/autogroup', String(LEAST_PRIORITY));
} catch {
  // This system does not.
}
const nextMessage = () =>
  new Promise<unknown>((resolve) => {
    process.once('message', resolve);
  });
for (;;) {
  const { name, target } = (await nextMessage()) as AttackOrder;
  const attack = attacks.find((one) => one.name === name);
  if (attack === undefined) throw new Error(`There is no attack ${name}.`);
  const begin = await attack.prepare(target);
  const go = nextMessage();
  process.send?.('prepared');
  await go;
  process.send?.(await begin());
}
