import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';

const REAPER = join(import.meta.dirname, '../support/start-reaper.ts');

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'when a run is ended by %s its servers end too',
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-reaper-'));
    const server = spawn('sleep', ['120'], { detached: true, stdio: 'ignore' });
    await once(server, 'spawn');
    const whenGone = once(server, 'exit');
    const run = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { startReaper } from ${JSON.stringify(REAPER)};
       startReaper(${JSON.stringify(folder)}, [${server.pid}]);
       console.log('started');
       setInterval(() => {}, 1000);`,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    await once(run.stdout, 'data');
    run.kill(signal);
    expect(await whenGone).toEqual([null, 'SIGQUIT']);
    await until(async () => !existsSync(folder));
  },
);
