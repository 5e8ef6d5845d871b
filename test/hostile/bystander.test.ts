import { afterAll, expect, test } from '@jest/globals';
import { attacks } from './attacks.ts';
import { startAttackedService } from './attack-scene.ts';
import { isMemoryBack, lineOf } from './measured-attack.ts';

// Attacks real processes while a client of another organisation continues to work. Prints how much slower its calls
// become; only `npm run bench -- hostile` checks that: here nothing depends on the speed of the machine.

const TIME_LIMIT_MS = 240_000;

const service = await startAttackedService({
  quietSeconds: 0.4,
  attackSeconds: 0.4,
  warmUpSeconds: 1,
  callEveryMs: 100,
  lookupsPerSecond: 50,
});
afterAll(async () => {
  await service.stop();
}, TIME_LIMIT_MS);

test.each(attacks.map((attack) => [attack.name, attack] as const))(
  'rejects no call of a bystander, and releases memory afterwards: %s',
  async (_name, attack) => {
    const figures = await service.attack(attack);
    process.stdout.write(`${lineOf(figures)}\n`);
    // The attack took place, and the bystander made calls.
    expect(Object.keys(figures.answers)).not.toEqual([]);
    expect(figures.attacked.calls).toBeGreaterThan(0);
    expect(figures.refusals).toEqual([]);
    expect(figures.isAlive).toBe(true);
    expect([isMemoryBack(figures), figures.memoryMb]).toEqual([true, figures.memoryMb]);
  },
  TIME_LIMIT_MS,
);
