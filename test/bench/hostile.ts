import { startAttackedService } from '../hostile/attack-scene.ts';
import type { Pace } from '../hostile/measured-attack.ts';
import { attacks } from '../hostile/attacks.ts';
import { measureFloor } from '../hostile/bare-floor.ts';
import { isMemoryBack, lineOf } from '../hostile/measured-attack.ts';
import { findTemporalCli } from '../../src/local-stack/temporal-cli.ts';
import { readSettings } from '../../src/platform/settings.ts';

/** Limit for the ratio of a bystander's p99 under attack to its quiet p99. */
const RATIO_MAX = 5;
/**
 * 60 calls a second give several hundred before each attack and during it. The speed of lookups is high enough that
 * the throttle is not the only limit.
 */
const PACE: Pace = { warmUpSeconds: 6, quietSeconds: 8, attackSeconds: 6, callEveryMs: 50, lookupsPerSecond: 200 };

/**
 * `npm run bench -- hostile`: what each attack of test/hostile does to a bystander. BENCH_ATTACK selects the attacks
 * whose names contain a word.
 * @returns whether every goal was met
 */
export async function benchHostile(print: (line?: string) => void): Promise<boolean> {
  process.env['TEST_TEMPORAL_CLI'] = await findTemporalCli({
    settings: readSettings(),
    environment: process.env,
    onProgress: print,
  });
  const service = await startAttackedService(PACE);
  const missed: string[] = [];
  try {
    print(
      `\na bystander under attack (goals: p99 at most ${RATIO_MAX} times the quiet one, no call rejected, memory within 100 MB of the start after a minute)`,
    );
    for (const attack of attacks.filter(({ name }) => name.includes(process.env['BENCH_ATTACK'] ?? ''))) {
      const figures = await service.attack(attack);
      const floor = attack.isFlood ? await measureFloor(attack, PACE.callEveryMs) : undefined;
      print(`  ${lineOf(figures)}${floor === undefined ? '' : `; on a bare server p99 ${floor.toFixed(1)} ms`}`);
      if (!(figures.ratio <= RATIO_MAX) || figures.refusals.length > 0 || !figures.isAlive || !isMemoryBack(figures)) {
        missed.push(attack.name);
      }
    }
  } finally {
    await service.stop();
  }
  print(missed.length === 0 ? '\nAll goals were met.' : `\nGoals were missed under: ${missed.join('; ')}`);
  return missed.length === 0;
}
