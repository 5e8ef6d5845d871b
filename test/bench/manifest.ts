import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { domesticAccount } from '../support/account-payload.ts';
import { processorSeconds, residentMb } from './measure.ts';

/** A tenth of the accounts of the goal, so that a round takes seconds. */
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 100_000);
const GOAL_ACCOUNTS = 1_000_000;
const MARK = '7654321';
const SAMPLE_MS = 250;

/** Counts a file of accounts by `gangway manifest`, as a process of its own. */
export async function benchManifest(print: (line?: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-bench-manifest-'));
  try {
    print(`\nmanifest of accounts (goal: ${GOAL_ACCOUNTS} in 60 s on two cores, flat memory)`);
    for (const accounts of [ACCOUNTS / 10, ACCOUNTS]) {
      const part = join(folder, `accounts-${accounts}.ndjson`);
      await writeAccounts(part, accounts);
      const { seconds, processor, megabytes } = await measure(part, join(folder, 'manifest.json'));
      const scaled = (seconds * GOAL_ACCOUNTS) / accounts;
      print(
        `  ${accounts} accounts of ${(statSync(part).size / accounts).toFixed(0)} bytes: ${seconds.toFixed(1)} s on ${availableParallelism()} cores, ${(accounts / seconds).toFixed(0)}/s, ${((processor * 1e6) / accounts).toFixed(0)} us of processor each; at most ${megabytes.first} MB in the first half, ${megabytes.all} MB in all; ${GOAL_ACCOUNTS} would take ${scaled.toFixed(0)} s`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function writeAccounts(file: string, count: number): Promise<void> {
  const line = JSON.stringify(domesticAccount({}, Number(MARK)));
  const stream = createWriteStream(file);
  for (let number = 0; number < count; number += 1) {
    if (!stream.write(`${line.replaceAll(MARK, String(number).padStart(MARK.length, '0'))}\n`)) {
      await once(stream, 'drain');
    }
  }
  stream.end();
  await once(stream, 'finish');
}

interface Measured {
  seconds: number;
  /** Seconds of all threads. */
  processor: number;
  /** Most memory, in the first half of the run and in all of it: the same if it is flat. */
  megabytes: { first: number; all: number };
}

async function measure(file: string, out: string): Promise<Measured> {
  const program = join(import.meta.dirname, '../../src/cli/main.ts');
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'manifest', file, '--out', out], { stdio: 'ignore' });
  const samples: number[] = [];
  let processor = 0;
  const sampling = setInterval(() => {
    samples.push(residentMb(child.pid!));
    processor = Math.max(processor, processorSeconds([child.pid!]));
  }, SAMPLE_MS);
  const [status] = (await once(child, 'exit')) as [number];
  clearInterval(sampling);
  if (status !== 0) throw new Error(`gangway manifest ended with status ${status}`);
  const megabytes = { first: Math.max(...samples.slice(0, samples.length / 2)), all: Math.max(...samples) };
  return { seconds: (performance.now() - started) / 1_000, processor, megabytes };
}
