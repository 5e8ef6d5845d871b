import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { Manifest, ManifestKinds } from '../manifest/manifest.schema.ts';
import { mergeTotals } from '../manifest/totals.rules.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import { importJobKinds } from '../vocabulary/import-jobs.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { ChunkAccounts, ChunkCount, CountOptions } from './count-chunk.ts';
import { openCounter, type Counter } from './count-records.ts';
import { openContent, STANDARD_INPUT_NAME, unreadable } from './split-parts.ts';

/** A file of records of one kind. */
export interface RecordFile {
  path: string;
  kind: ImportJobKind;
}

/** The totals of files. */
export interface CountedFiles {
  files: NonNullable<Manifest['files']>;
  kinds: ManifestKinds;
}

/** What is counted, and who receives the accounts of each part. */
export interface FilesToCount extends CountOptions {
  onAccounts?: (accounts: ChunkAccounts, kind: ImportJobKind) => void;
}

const KIND_OF_NAME = new RegExp(`^(${membersOf(importJobKinds).join('|')})(?![a-z])`);
const RECORDS_FILE = /\.(?:ndjson|jsonl)(?:\.(?:gz|zst))?$/;
const CHUNK_BYTES = 4 * 1024 * 1024;
/** A record has at most 1 MB. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const LINE_FEED = 10;
/** Each thread counts what one core can count while another reads and decompresses. */
const THREADS_MAX = 16;

/**
 * Finds the files, and the kind of each by its name: `accounts.ndjson.gz`, `transactions-2.ndjson`.
 * @param paths files, folders, or `-`
 * @param kind of files whose names do not begin with a kind
 * @throws CommandError if a kind is unknown, or a folder has no files
 */
export function findRecordFiles(paths: readonly string[], kind: ImportJobKind | undefined): RecordFile[] {
  return paths.flatMap((path) => {
    if (path !== STANDARD_INPUT_NAME && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
      return filesOfFolder(path);
    }
    const found = kindOfName(path) ?? kind;
    if (found !== undefined) return [{ path, kind: found }];
    throw new CommandError(
      `${path} does not begin with the kind of its records. Rename it, for example to accounts.ndjson, or name the kind with --kind.`,
      exitStatuses.usage,
    );
  });
}

function filesOfFolder(folder: string): RecordFile[] {
  const files = readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const kind = RECORDS_FILE.test(name) ? kindOfName(name) : undefined;
      return kind === undefined ? [] : [{ path: join(folder, name), kind }];
    });
  if (files.length > 0) return files;
  throw new CommandError(
    `${folder} has no files such as accounts.ndjson or transactions.ndjson.gz.`,
    exitStatuses.usage,
  );
}

function kindOfName(path: string): ImportJobKind | undefined {
  return KIND_OF_NAME.exec(basename(path))?.[1] as ImportJobKind | undefined;
}

/**
 * Counts the records of files.
 * @param onProgress receives the file that is read, and the share of it that was read
 * @throws CommandError if a file cannot be read, or a line is no record
 */
export async function countFiles(
  files: readonly RecordFile[],
  { onAccounts, ...options }: FilesToCount,
  onProgress: (file: string, share: number | undefined) => void,
): Promise<CountedFiles> {
  const counter = openCounter(threadsFor(files), options);
  try {
    const counted: CountedFiles['files'] = [];
    for (const file of files) counted.push(await countFile(file, counter, onAccounts, onProgress));
    const kinds = (await counter.end()).reduce(mergeTotals, {});
    return { files: counted, kinds };
  } finally {
    await counter.close();
  }
}

function threadsFor(files: readonly RecordFile[]): number {
  const bytes = files.reduce((sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  return Math.min(availableParallelism(), THREADS_MAX, Math.floor(bytes / CHUNK_BYTES));
}

async function countFile(
  { path, kind }: RecordFile,
  counter: Counter,
  onAccounts: FilesToCount['onAccounts'],
  onProgress: (file: string, share: number | undefined) => void,
): Promise<CountedFiles['files'][number]> {
  const hash = createHash('sha256');
  let bytes = 0;
  const { content, share, assertWhole } = await openContent(path, (chunk) => {
    hash.update(chunk);
    bytes += chunk.length;
  });
  /** Results by chunk; they arrive in any order. */
  const results: ChunkCount[] = [];
  const pending = new Set<Promise<void>>();
  let isFaulty = false;
  for await (const [place, chunk] of numbered(wholeLines(content, path))) {
    await counter.ready();
    const counting = counter.count(chunk, kind).then(({ accounts, ...counted }) => {
      results[place] = counted;
      if (accounts !== undefined) onAccounts?.(accounts, kind);
      isFaulty ||= counted.fault !== undefined;
      pending.delete(counting);
    });
    pending.add(counting);
    if (isFaulty) break;
    onProgress(path, share());
  }
  await Promise.all(pending);
  throwFirstFault(path, results);
  assertWhole();
  const records = results.reduce((sum, counted) => sum + counted.records, 0);
  return { name: basename(path), kind, bytes, sha256: hash.digest('hex'), records };
}

/** @throws CommandError if a chunk has a line that is no record, with its number in the file */
function throwFirstFault(path: string, results: readonly ChunkCount[]): void {
  let before = 0;
  for (const { lines, fault } of results) {
    if (fault !== undefined) throw new CommandError(`${path}: line ${before + fault.line} ${fault.message}.`);
    before += lines;
  }
}

async function* numbered<T>(items: AsyncIterable<T>): AsyncGenerator<[number, T]> {
  let number = 0;
  for await (const item of items) {
    yield [number, item];
    number += 1;
  }
}

/** Cuts the content into chunks of whole lines. */
async function* wholeLines(content: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of content) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes < CHUNK_BYTES) continue;
      const end = piece.lastIndexOf(LINE_FEED) + 1;
      if (end === 0) {
        if (bytes < LINE_BYTES_MAX) continue;
        throw new CommandError(`${path} has a line of many megabytes. Write one JSON object per line (NDJSON).`);
      }
      pieces.pop();
      yield Buffer.concat([...pieces, piece.subarray(0, end)]);
      pieces = [piece.subarray(end)];
      bytes = piece.length - end;
    }
  } catch (error) {
    throw error instanceof CommandError ? error : unreadable(path, error);
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}
