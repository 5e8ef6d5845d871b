import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObtainOptions } from './temporal-cli.ts';

const answersWithinMs = 3_000;
const completeWithinMs = 300_000;

/**
 * Downloads the Temporal command line from the place where its makers publish it. (The SDK's own download hides inside
 * its test server: it has no time limit, tells no progress and does not say where it put the program.)
 * @throws Error with one sentence when the place does not answer within 3 s, or not with the program
 */
export async function downloadTemporalCli({ version, target, onProgress, signal }: ObtainOptions): Promise<void> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const address = `https://temporal.download/cli/archive/v${version}?platform=${process.platform}&arch=${arch}`;
  const folder = await mkdtemp(`${target}.`);
  try {
    const archive = await opened(address, signal);
    onProgress(`Downloading the Temporal command line ${version} from temporal.download (once)`);
    await unpack(archive, folder);
    await rename(join(folder, 'temporal'), target);
  } catch (error) {
    throw new Error(`Download from ${address}: ${(error as Error).message}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function opened(address: string, signal: AbortSignal | undefined): Promise<Readable> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${answersWithinMs / 1000} s`)), answersWithinMs);
  try {
    const answer = await fetch(address, { signal: AbortSignal.any([late.signal, AbortSignal.timeout(completeWithinMs), ...(signal ? [signal] : [])]) });
    if (!answer.ok || !answer.body) throw new Error(`answered with status ${answer.status}`);
    return Readable.fromWeb(answer.body as never);
  } finally {
    clearTimeout(timer);
  }
}

async function unpack(archive: Readable, folder: string): Promise<void> {
  const tar = spawn('tar', ['-xz', '-C', folder, '-f', '-', 'temporal'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const [[exitCode]] = await Promise.all([once(tar, 'exit'), pipeline(archive, tar.stdin)]);
  if (exitCode !== 0) throw new Error('the archive does not hold the program');
}
