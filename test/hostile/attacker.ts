import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Target } from './attack-load.ts';
import { attacks } from './attacks.ts';

// Attacks, one after the other, in a process of their own, so that neither the service nor the bystander shares an event loop with
// them: each is ordered by a message, says when it is prepared, begins at the next message, and answers with what it was answered.

/** The order of an attack. */
export interface AttackOrder {
  name: string;
  target: Target;
}

/** Attackers have machines of their own elsewhere: here they take what processor time the others leave. */
const LEAST_PRIORITY = 10;

setPriority(LEAST_PRIORITY);
// Whoever started it has ended.
process.once('disconnect', () => process.exit());
try {
  // Where Linux gives each session its share, the priority of a process counts within its session only (sched(7)).
  writeFileSync('/proc/self/autogroup', String(LEAST_PRIORITY));
} catch {
  // It does not do so here.
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
