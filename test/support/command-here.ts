import { join } from 'node:path';
import { createProgram } from '../../src/cli/program.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { supplierProgram } from '../../src/cli/supplier-program.ts';
import { SettingsError } from '../../src/platform/settings.ts';
import type { Ran } from './command-line.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in this process, with only the given settings as environment. Use it to test the effects of
 * commands: `runCommand` needs ten times the processor time to start a process. Commands run one after another.
 */
export function runCommandHere(args: readonly string[], settings: Record<string, string>): Promise<Ran> {
  // As in main.ts.
  return runNext(args, settings, () =>
    runCommandLine(createProgram(), 'npm run cli --', (error) => error instanceof SettingsError),
  );
}

/** Like `runCommandHere`, for the supplier's command line. */
export function runSupplierCommandHere(args: readonly string[], settings: Record<string, string>): Promise<Ran> {
  // As in supplier-commands.ts.
  return runNext(args, settings, () => runCommandLine(supplierProgram(process.env), 'gangway'));
}

function runNext(...given: Parameters<typeof runAlone>): Promise<Ran> {
  const ran = last.then(() => runAlone(...given));
  last = ran.catch(() => {});
  return ran;
}

async function runAlone(
  args: readonly string[],
  settings: Record<string, string>,
  run: () => Promise<void>,
): Promise<Ran> {
  const before = { argv: process.argv, env: process.env, exitCode: process.exitCode };
  const listeners = process.stdout.listeners('error');
  const texts = { stdout: '', stderr: '' };
  const giveBack = (['stdout', 'stderr'] as const).map((name) => capture(name, (text) => (texts[name] += text)));
  process.argv = [process.execPath, MAIN, ...args];
  process.env = { ...settings };
  try {
    await run();
    return { status: Number(process.exitCode), ...texts };
  } finally {
    Object.assign(process, before);
    for (const give of giveBack) give();
    for (const added of process.stdout.listeners('error').filter((one) => !listeners.includes(one))) {
      process.stdout.off('error', added as (error: Error) => void);
    }
  }
}

/** Captures writes to an output of this process; returns a function that restores the output. */
function capture(name: 'stdout' | 'stderr', take: (text: string) => void): () => void {
  const output = process[name];
  const write = output.write.bind(output);
  output.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    for (const one of rest) if (typeof one === 'function') one();
    return true;
  };
  return () => {
    output.write = write;
  };
}
