import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';

const MODULE = join(import.meta.dirname, '../../src/local-stack/stop-signals.ts');
/** Longer than two signals of one press lie apart. */
const LATER_MS = 1_200;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a process whose orderly stop takes until its standard input ends; returns its output. */
async function startStoppable() {
  const code = `import { listenForStop, untilStopped } from ${JSON.stringify(MODULE)};
    const stopping = listenForStop(() => process.stdout.write('stopping '));
    const ended = new Promise((resolve) => process.stdin.resume().once('end', resolve));
    process.stdout.write('up ');
    await untilStopped(stopping);
    await ended;
    process.stdout.write('stopped');
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  let told = '';
  const has = async (text: string) => {
    while (!told.includes(text)) told += String((await once(child.stdout, 'data'))[0]);
  };
  await has('up ');
  return { child, has, told: () => told };
}

test('a Ctrl-C that arrives twice, by the terminal and by npm, is one: the stop is orderly', async () => {
  const { child, has, told } = await startStoppable();
  // The system may make one of two that are the same.
  child.kill('SIGINT');
  child.kill('SIGTERM');
  await has('stopping ');
  child.stdin.end();
  await has('stopped');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(told()).toBe('up stopping stopped');
});

test('a second signal that comes later ends it at once', async () => {
  const { child, has } = await startStoppable();
  child.kill('SIGTERM');
  await has('stopping ');
  await sleep(LATER_MS);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([1, null]);
});
