import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Target } from './attack-load.ts';
import { attacks } from './attacks.ts';

// One attack, in a process of its own, so that neither the service nor the bystander shares an event loop with it:
//   fork('attacker.ts', [name]), then the target; it says when it is prepared, and begins at the next message.

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
const attack = attacks.find(({ name }) => name === process.argv[2]);
if (attack === undefined) throw new Error(`There is no attack ${process.argv[2]}.`);

const nextMessage = () =>
  new Promise<unknown>((resolve) => {
    process.once('message', resolve);
  });
const begin = await attack.prepare((await nextMessage()) as Target);
const go = nextMessage();
process.send?.('prepared');
await go;
const answers = await begin();
process.send?.(answers, () => {
  process.disconnect();
});
