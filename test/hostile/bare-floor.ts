import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopChild } from '../bench/measure.ts';
import type { Attack } from './attack-load.ts';
import { startBystander } from './bystander.ts';
import { percentile, startAttacker } from './measured-attack.ts';

const WARM_UP_MS = 1_500;
const SECONDS = 4;

/**
 * The same attack on a server that answers every request immediately (bare-server.ts).
 * @returns the p99 of a bystander there, in milliseconds: the time of the machine and Node alone
 */
export async function measureFloor(attack: Attack, callEveryMs: number): Promise<number> {
  const server = fork(join(import.meta.dirname, 'bare-server.ts'), [], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const port = await new Promise((resolve) => {
    server.once('message', resolve);
  });
  const url = `http://127.0.0.1:${String(port)}`;
  const attacker = startAttacker();
  const bystander = await startBystander(url, 'anybody', callEveryMs);
  try {
    await sleep(WARM_UP_MS);
    const begin = await attacker.prepare(attack, { url, token: 'anybody', seconds: SECONDS });
    const [from] = [performance.now(), await begin()];
    const to = performance.now();
    await bystander.stop();
    return percentile(
      bystander.calls.filter(({ at }) => at >= from && at < to),
      99,
    );
  } finally {
    await attacker.stop();
    await stopChild(server);
  }
}
