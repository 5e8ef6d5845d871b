import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const answersWithinMs = 3_000;
const completeWithinMs = 300_000;

/** Address of the releases of the command line, with their checksums. */
export const temporalReleases = 'https://github.com/temporalio/cli/releases/download';

/**
 * Downloads the Temporal command line, and verifies its published SHA-256 before it is run. (The SDK's download verifies nothing, has no
 * timeout, reports no progress and does not return the path of the program.)
 * @param from folder of the releases; tests pass their own
 * @throws Error if the server does not respond within 3 s, or not with the program
 */
export async function downloadTemporalCli(
  { version, target, onProgress, signal }: ObtainOptions,
  from: string = temporalReleases,
): Promise<void> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `temporal_cli_${version}_${process.platform}_${arch}.tar.gz`;
  const address = `${from}/v${version}/${name}`;
  const folder = await mkdtemp(`${target}.`);
  try {
    const wanted = await publishedChecksum(`${from}/v${version}/checksums.txt`, name, signal);
    const archive = await opened(address, signal);
    onProgress(`Downloading the Temporal command line ${version} from its makers (once)`);
    const file = join(folder, 'archive');
    await writeFile(file, archive, { mode: 0o600 });
    const seen = hash('sha256', await readFile(file));
    if (seen !== wanted) throw new Error(`its SHA-256 is ${seen}, and not ${wanted} as published`);
    await promisify(execFile)('tar', ['-xz', '-C', folder, '-f', file, 'temporal']).catch(() => {
      throw new Error('the archive does not hold the program');
    });
    await rename(join(folder, 'temporal'), target);
  } catch (error) {
    throw new Error(`Download from ${address}: ${(error as Error).message}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Parses lines of `<hex>  <file>`, the format of sha256sum. */
async function publishedChecksum(address: string, name: string, signal: AbortSignal | undefined): Promise<string> {
  const lines = (await text(await opened(address, signal))).split('\n');
  const [checksum] =
    lines
      .map((line) => line.trim().split(/\s+/))
      .find(([hex, file]) => file === name && /^[0-9a-f]{64}$/.test(hex ?? '')) ?? [];
  if (checksum === undefined) throw new Error(`${address} does not name ${name}`);
  return checksum;
}

async function opened(address: string, signal: AbortSignal | undefined): Promise<Readable> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`no answer within ${answersWithinMs / 1000} s`)),
    answersWithinMs,
  );
  try {
    const answer = await fetch(address, {
      signal: AbortSignal.any([late.signal, AbortSignal.timeout(completeWithinMs), ...(signal ? [signal] : [])]),
    });
    if (!answer.ok || !answer.body) throw new Error(`answered with status ${answer.status}`);
    return Readable.fromWeb(answer.body as never);
  } finally {
    clearTimeout(timer);
  }
}

export interface ObtainOptions {
  version: string;
  /** Path to which the complete program is moved atomically. */
  target: string;
  onProgress: (sentence: string) => void;
  signal?: AbortSignal;
  /** Whether another process has meanwhile stored it there. */
  isThere: () => Promise<boolean>;
}
