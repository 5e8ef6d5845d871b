import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { attacks } from './attacks.ts';
import { startAttackedService, type AttackedService } from './attack-scene.ts';
import { isMemoryBack, lineOf } from './measured-attack.ts';

// Real processes are attacked while a good client of another organisation goes on working. How much slower its calls
// become is printed, and is a check only in `npm run bench -- hostile`: here nothing depends on the speed of the machine.

const TIME_LIMIT_MS = 240_000;

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({
    quietSeconds: 0.4,
    attackSeconds: 0.4,
    warmUpSeconds: 1,
    callEveryMs: 100,
    lookupsPerSecond: 50,
  });
}, TIME_LIMIT_MS);
afterAll(async () => {
  await service?.stop();
}, TIME_LIMIT_MS);

test.each(attacks.map((attack) => [attack.name, attack] as const))(
  'a bystander is refused nothing, and memory comes back: %s',
  async (_name, attack) => {
    const figures = await service.attack(attack);
    process.stdout.write(`${lineOf(figures)}\n`);
    // The attack took place, and the bystander was there.
    expect(Object.keys(figures.answers)).not.toEqual([]);
    expect(figures.attacked.calls).toBeGreaterThan(0);
    expect(figures.refusals).toEqual([]);
    expect(figures.isAlive).toBe(true);
    expect([isMemoryBack(figures), figures.memoryMb]).toEqual([true, figures.memoryMb]);
  },
  TIME_LIMIT_MS,
);
