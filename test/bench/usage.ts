import { below, processes, processorSeconds } from './measure.ts';
import type { UpFile } from './platform.ts';
import { withClient } from './stage-set.ts';

/** What the platform has used and done so far. */
export interface Usage {
  at: number;
  seconds: Record<string, number>;
  accounts: number;
  commits: number;
}

/** Reads what the platform has used and done. */
export async function usage(up: UpFile): Promise<Usage> {
  const { pids } = platformPids(up.pid);
  const accounts = await withClient(up.database, async (client) =>
    Number((await client.query('select count(*) from account')).rows[0].count),
  );
  const commits = await withClient(up.database, async (client) =>
    Number((await client.query(`select count(distinct xmin::text) as count from account`)).rows[0].count),
  );
  return {
    at: performance.now(),
    seconds: Object.fromEntries(Object.entries(pids).map(([name, list]) => [name, processorSeconds(list)])),
    accounts,
    commits,
  };
}

/** Describes what was used since a reading. */
export async function describeUsage(up: UpFile, before: Usage): Promise<string> {
  const now = await usage(up);
  const seconds = (now.at - before.at) / 1_000;
  const shares = Object.keys(now.seconds).map(
    (name) => `${name} ${((((now.seconds[name] ?? 0) - (before.seconds[name] ?? 0)) / seconds) * 100).toFixed(0)} %`,
  );
  const accounts = now.accounts - before.accounts;
  return `  round: ${accounts} accounts, ${(accounts / Math.max(1, now.commits - before.commits)).toFixed(1)} a batch; processor: ${shares.join(', ')}`;
}

/** Processes of the platform, by name. */
export function platformPids(upPid: number): { pids: Record<string, number[]> } {
  const all = processes();
  const pids: Record<string, number[]> = { gangway: [], temporal: [], postgres: [] };
  for (const pid of below(upPid, all)) {
    const command = all.find((process) => process.pid === pid)?.command ?? '';
    const kind = command.includes('postgres')
      ? 'postgres'
      : command.includes('temporal') && !command.includes('.ts')
        ? 'temporal'
        : 'gangway';
    pids[kind]?.push(pid);
  }
  return { pids };
}
