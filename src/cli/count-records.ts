import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ManifestKinds } from '../manifest/manifest.schema.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import { chunkCounter, type ChunkCount, type CountOptions } from './count-chunk.ts';

/** Counts chunks of lines, in this thread or in several. */
export interface Counter {
  /** Resolves when another chunk is accepted, which limits the chunks in memory. */
  ready(): Promise<void>;
  count(chunk: Buffer, kind: ImportJobKind): Promise<ChunkCount>;
  /** The totals of all chunks, in parts. */
  end(): Promise<ManifestKinds[]>;
  close(): Promise<void>;
}

/** A message to a thread; without a chunk, it returns its totals. */
export type CountRequest = { chunk: Uint8Array; kind: ImportJobKind } | 'end';

/** Chunks of each thread: one that is counted, and the next one. */
const CHUNKS_PER_THREAD = 2;

/** Starts to count. @param threads 0 or 1: in this thread */
export function openCounter(threads: number, options: CountOptions): Counter {
  if (threads > 1) return new ThreadedCounter(threads, options);
  const counter = chunkCounter(options);
  return {
    ready: async () => {},
    count: async (chunk, kind) => counter.count(chunk, kind),
    end: async () => [counter.kinds()],
    close: async () => {},
  };
}

/** The program of a thread, beside this module and with the same ending. */
const THREAD = new URL(`./count-records-thread${extname(import.meta.url)}`, import.meta.url);

class ThreadedCounter implements Counter {
  readonly #threads: CountingThread[];

  constructor(threads: number, options: CountOptions) {
    this.#threads = Array.from({ length: threads }, () => new CountingThread(options));
  }

  async ready(): Promise<void> {
    while (this.#idlest().pending >= CHUNKS_PER_THREAD) {
      await Promise.race(this.#threads.map((thread) => thread.nextReply()));
    }
  }

  async count(chunk: Buffer, kind: ImportJobKind): Promise<ChunkCount> {
    // The memory of a chunk of this size is its own, so it can be moved to the thread.
    const isOwn = chunk.byteLength === chunk.buffer.byteLength;
    const moved = isOwn ? new Uint8Array(chunk.buffer) : Uint8Array.from(chunk);
    return (await this.#idlest().ask({ chunk: moved, kind }, [moved.buffer as ArrayBuffer])) as ChunkCount;
  }

  async end(): Promise<ManifestKinds[]> {
    return Promise.all(this.#threads.map(async (thread) => (await thread.ask('end')) as ManifestKinds));
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #idlest(): CountingThread {
    return this.#threads.reduce((one, other) => (other.pending < one.pending ? other : one));
  }
}

/** A thread that answers requests in their order. */
class CountingThread {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<unknown>[] = [];

  constructor(options: CountOptions) {
    this.#worker = new Worker(THREAD, { workerData: options });
    this.#worker.on('message', (reply: unknown) => this.#waiting.shift()?.resolve(reply));
    this.#worker.on('error', (error: unknown) => {
      for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    });
  }

  get pending(): number {
    return this.#waiting.length;
  }

  async nextReply(): Promise<void> {
    await this.#waiting[0]?.promise;
  }

  ask(request: CountRequest, moved: ArrayBuffer[] = []): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(request, moved);
    return waiting.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
