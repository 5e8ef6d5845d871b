import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import {
  openProcessTable,
  adoptProcess,
  findProcesses,
  startChild,
  type EndingSteps,
} from '../../src/local-stack/running-process.ts';
import { until } from '../support/until.ts';

// Both ways to read the system's processes: from /proc, and by `ps` as on a machine without it.
const TABLES = [
  ...(existsSync('/proc/self/stat') ? [['/proc', openProcessTable()] as const] : []),
  ['ps', openProcessTable('/dev/null/no-proc')] as const,
];
const ENDING: EndingSteps = [
  { signal: 'SIGTERM', waitMs: 300 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];
const DEAF = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000); process.stdout.write('up')`;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a process like one that an earlier `up` left running: its parent, a shell, ends first. */
async function leaveBehind(mark: string): Promise<number> {
  const { stdout } = spawnSync(
    '/bin/sh',
    ['-c', '"$0" -e "$1" -- "two words" "$2" >/dev/null 2>&1 & echo $!', process.execPath, DEAF, mark],
    { encoding: 'utf8', env: {} },
  );
  return Number(stdout);
}

test.each(TABLES)('%s tells a process from every other, and knows when it is gone', async (_name, table) => {
  const child = spawn('sleep', ['60']);
  children.push(child);
  const pid = child.pid as number;
  const identity = table.identityOf(pid);
  expect(identity).toMatch(new RegExp(`^${pid}/.`));
  expect(table.identityOf(pid)).toBe(identity);
  expect(table.identityOf(process.pid)).not.toBe(identity);
  // A process of root is visible to every user.
  expect(table.identityOf(1)).not.toBeNull();
  child.kill('SIGKILL');
  await until(() => child.signalCode !== null);
  expect(table.identityOf(pid)).toBeNull();
});

test.each(TABLES)('%s: one that has ended but was not collected does not live', async (_name, table) => {
  // The shell becomes another sleep before the first one ends, and a sleep collects no child.
  const parent = spawn('/bin/sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(parent);
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (text) => resolve(Number(text)));
  });
  await until(() => table.identityOf(pid) === null);
  expect(process.kill(pid, 0)).toBe(true);
});

test.each(TABLES)('%s: a process that was left behind is found by an argument, and ended', async (_name, table) => {
  const mark = `--mark=${randomUUID()}`;
  const pid = await leaveBehind(mark);
  const find = () => findProcesses((line) => line.includes(` ${mark} `) && line.includes(' two words '), table);
  await until(() => find().length > 0);
  expect(find()).toEqual([pid]);
  expect(findProcesses((line) => line.includes(` ${mark.slice(0, -1)} `), table)).toEqual([]);
  const adopted = adoptProcess(pid, ENDING, table);
  await adopted.stop();
  expect(await adopted.whenExited).toBeNull();
  expect(find()).toEqual([]);
});

test('a child is stopped by its handle, whatever the system tells of its processes', async () => {
  const deaf = await startChild(process.execPath, ['-e', DEAF], { stdio: ['ignore', 'pipe', 'ignore'] }, ENDING);
  await new Promise((resolve) => {
    deaf.child.stdout!.once('data', resolve);
  });
  await deaf.stop();
  expect(deaf.child.signalCode).toBe('SIGKILL');
  await deaf.stop();
  const polite = await startChild('sleep', ['60'], {}, ENDING);
  await polite.stop();
  expect(polite.child.signalCode).toBe('SIGTERM');
});
