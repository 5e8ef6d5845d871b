import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { exchangeJson, type Service } from './exchange.ts';

/** Records that are uploaded together. The same content is always split at the same line ends. */
export interface Part {
  /** From 1. */
  number: number;
  /** Of the content before compression, as the service reports it. */
  sha256: string;
  bytes: number;
  /** Lines that are not blank. */
  records: number;
  /** Compressed with zstd. */
  compressed: Buffer<ArrayBuffer>;
}

/** A part without its content. */
export type PartView = Omit<Part, 'compressed'>;

/** A part as the service has stored it. */
export interface StoredPart {
  part: number;
  lines: number;
  bytes: number;
  sha256: string;
}

/** The content cannot be split into parts. */
export class RecordsError extends Error {
  override name = 'RecordsError';
}

/** The service stored something else than was sent. */
export class PartError extends Error {
  override name = 'PartError';
}

/** A part ends with the first line that exceeds this size. The service accepts four times as much. */
const PART_BYTES = 16 * 1024 * 1024;
const PART_BYTES_MAX = 64 * 1024 * 1024;
const UPLOAD_TIMEOUT_MS = 600_000;
/** The bytes of a byte order mark in UTF-8, as characters. */
const BYTE_ORDER_MARK = /^\u00EF\u00BB\u00BF/;

/**
 * Splits NDJSON into parts.
 * @throws RecordsError if a line is too long
 */
export async function* splitIntoParts(content: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  let number = 1;
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (let chunk of content) {
    for (let end = endOfPart(chunk, bytes); end > 0; end = endOfPart(chunk, bytes)) {
      yield await partOf(number, [...chunks, chunk.subarray(0, end)]);
      number += 1;
      chunks = [];
      bytes = 0;
      chunk = chunk.subarray(end);
    }
    chunks.push(chunk);
    bytes += chunk.length;
  }
  const last = await partOf(number, chunks);
  // A part without a record is rejected; the last lines may be blank.
  if (last.records > 0) yield last;
}

/** Offset in the chunk after the line feed at which the part ends; 0 if the chunk belongs to the part. */
function endOfPart(chunk: Buffer, bytesBefore: number): number {
  const from = Math.max(0, PART_BYTES - bytesBefore - 1);
  if (from >= chunk.length) return 0;
  const end = chunk.indexOf('\n', from) + 1;
  if (end === 0 && bytesBefore + chunk.length > PART_BYTES_MAX) {
    throw new RecordsError('The file has a line of many megabytes. Write one JSON object per line (NDJSON).');
  }
  return end;
}

async function partOf(number: number, chunks: readonly Buffer[]): Promise<Part> {
  const content = Buffer.concat(chunks);
  // Counts lines that are not blank, as the service does, which ignores a byte order mark at the start of a part.
  const lines = content.toString('latin1').replace(BYTE_ORDER_MARK, '').split('\n');
  return {
    number,
    sha256: hash('sha256', content),
    bytes: content.length,
    records: lines.filter((line) => /[^ \t\r]/.test(line)).length,
    compressed: await promisify(zstdCompress)(content),
  };
}

/**
 * Uploads a part of an import job. Sending it again changes nothing.
 * @throws PartError if the service stored something else
 */
async function uploadPart(service: Service, jobId: string, part: Part): Promise<void> {
  const stored = await exchangeJson<StoredPart>(service, {
    method: 'PUT',
    path: `/v1/data-import/import-jobs/${encodeURIComponent(jobId)}/parts/${part.number}/`,
    headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'zstd' },
    body: part.compressed,
    timeoutMs: UPLOAD_TIMEOUT_MS,
    isRepeatable: true,
  });
  assertStored(part, stored);
}

/**
 * Uploads the parts that a job does not have yet. While one part is uploaded, the next one is read.
 * @param findJob called when the first part is ready, so that empty content leaves no job behind
 * @param onRead called with each part, after its upload has begun
 * @returns the job and all parts that were read; no job if there are none
 */
export async function uploadParts<Job extends { job_id: string; parts: readonly StoredPart[] }>(
  service: Service,
  parts: AsyncIterable<Part>,
  findJob: () => Promise<Job>,
  onRead: (part: PartView, isStored: boolean) => void = () => {},
): Promise<{ job: Job | undefined; read: PartView[] }> {
  let job: Job | undefined;
  let upload: Promise<void> = Promise.resolve();
  const read: PartView[] = [];
  for await (const part of parts) {
    job ??= await findJob();
    await upload;
    const isStored = job.parts.some((one) => one.part === part.number && one.sha256 === part.sha256);
    if (!isStored) upload = uploadPart(service, job.job_id, part);
    // Prevents an unhandled rejection; the upload is awaited later.
    upload.catch(() => {});
    const { compressed: _uploaded, ...view } = part;
    read.push(view);
    onRead(view, isStored);
  }
  await upload;
  return { job, read };
}

/** @throws PartError if a part is not stored as it was read */
export function assertAllStored(read: readonly PartView[], stored: readonly StoredPart[]): void {
  for (const part of read) {
    const found = stored.find((one) => one.part === part.number);
    assertStored(part, found);
  }
}

function assertStored(part: PartView, stored: StoredPart | undefined): void {
  if (stored?.sha256 === part.sha256 && stored.bytes === part.bytes && stored.lines === part.records) return;
  const found = stored === undefined ? 'nothing' : `${stored.lines} records in ${stored.bytes} bytes`;
  throw new PartError(
    `Part ${part.number} has ${part.records} records in ${part.bytes} bytes, but the service stored ${found}. The job was not started. ` +
      'Check whether a proxy changes request bodies, then run the command again.',
  );
}
