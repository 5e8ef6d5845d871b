import bodyParser from 'koa-bodyparser';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Context } from 'koa';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { LARGE_BODY_BYTES, type LargeBodyGate } from './large-body-gate.ts';

/** The client disconnected before the whole body was sent. */
export class HungUp extends Error {
  override name = 'HungUp';
}

/** Ends the reading of a rejected body. */
class ReadingEnded extends Error {
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(refused.code);
    this.refused = refused;
  }
}

export interface BodyLimits {
  limitBytes: number;
  gate: LargeBodyGate;
}

/** Reads the body of a request. A large one uses the organization's share of the gate. */
export type ReadBytes = (
  request: IncomingMessage,
  response: ServerResponse,
  organisation: string,
) => Promise<Buffer | Refused>;

const unpackers: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/**
 * Creates the body reader of a route, which decompresses and reads at most `limitBytes`. koa-bodyparser collects the bytes: of small
 * uncompressed bodies with a Content-Length directly, of all others through `MeteredBody`. Small bodies never wait; a large one waits for
 * the gate, and keeps its capacity until the request is answered. The reader throws HungUp.
 */
export function createBodyReader({ limitBytes, gate }: BodyLimits): ReadBytes {
  const collect = createCollector(limitBytes);
  return async (request, response, organisation) => {
    const encoding = contentEncodingOf(request.headers['content-encoding']);
    const isPlain = encoding === undefined || encoding === '' || encoding === 'identity';
    const createUnpacker = isPlain ? undefined : unpackers.get(encoding);
    if (!isPlain && createUnpacker === undefined) {
      return refuse('unsupported_media_type', {
        detail: 'The content encoding is not supported. Use gzip, deflate, br or none.',
      });
    }
    const declared = Number(request.headers['content-length'] ?? 0);
    if (isPlain && declared > limitBytes) return tooLarge(limitBytes);
    const enter = () => gate.enter(response, isPlain && declared > 0 ? declared : limitBytes, organisation);
    const isKnownLarge = isPlain && declared > LARGE_BODY_BYTES;
    const refused = isKnownLarge ? await enter() : undefined;
    if (refused) return refused;
    // Such a request emits no `end`.
    if (request.destroyed && !request.complete) throw new HungUp();
    if (encoding === undefined && declared > 0 && !isKnownLarge) return collect(request).catch(refusalIn);
    return new MeteredBody(
      request,
      createUnpacker?.(),
      { limitBytes, gate },
      isKnownLarge ? undefined : enter,
    ).collectedBy(collect);
  };
}

type Collect = (source: IncomingMessage | MeteredBody) => Promise<Buffer>;

/** Returns raw bytes, because json-body.ts checks UTF-8 and parses without losing digits. */
function createCollector(limitBytes: number): Collect {
  const read = bodyParser({ enableTypes: ['text'], textLimit: limitBytes, encoding: null } as never);
  const isText = () => 'text/plain';
  return async (req) => {
    const context: { req: typeof req; request: { is(): string; body?: unknown } } = { req, request: { is: isText } };
    await read(context as unknown as Context, async () => {});
    const { body } = context.request;
    return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  };
}

/** Returns the refusal that ended the reading of a body; rethrows other errors. */
function refusalIn(error: unknown): Refused {
  if (error instanceof ReadingEnded) return error.refused;
  if (error instanceof HungUp) throw error;
  // Error type of the body parser if the client disconnected, the only possible error of a small uncompressed body.
  if ((error as { type?: unknown }).type === 'request.aborted') throw new HungUp('', { cause: error });
  throw error;
}

/**
 * A body being received and decompressed: counts its bytes, waits for the gate if it is large, and detects disconnects. The body parser
 * reads it like a request of unknown length.
 */
class MeteredBody extends Transform {
  /** Shows the body parser that there is neither a Content-Length nor a Content-Encoding. */
  readonly headers = {};
  readonly #request: IncomingMessage;
  readonly #unpacker: Transform | undefined;
  readonly #limits: BodyLimits;
  /** Waits for the gate; called once, when the body turns out to be large. Undefined afterward. */
  #enter: (() => Promise<Refused | undefined>) | undefined;
  #length = 0;
  #deadline: NodeJS.Timeout | undefined;

  constructor(
    request: IncomingMessage,
    unpacker: Transform | undefined,
    limits: BodyLimits,
    enter: (() => Promise<Refused | undefined>) | undefined,
  ) {
    super();
    this.#request = request;
    this.#unpacker = unpacker;
    this.#limits = limits;
    this.#enter = enter;
  }

  /** @throws HungUp */
  async collectedBy(collect: Collect): Promise<Buffer | Refused> {
    const request = this.#request;
    if (this.#enter === undefined) this.#setDeadline();
    const onClose = () => {
      if (!request.complete) this.destroy(new HungUp());
    };
    request.once('close', onClose);
    request.once('error', onClose);
    // Errors after the outcome are ignored.
    this.on('error', () => {});
    if (this.#unpacker) {
      this.#unpacker.on('error', () =>
        this.#refuse(
          refuse('parse_error', { detail: 'The body does not match its content encoding, or it is incomplete.' }),
        ),
      );
      request.pipe(this.#unpacker).pipe(this);
    } else request.pipe(this);
    try {
      return await collect(this);
    } catch (error) {
      return refusalIn(error);
    } finally {
      clearTimeout(this.#deadline);
      request.removeListener('close', onClose);
      // The connection is closed after the response, so that unread bytes are not parsed as a request.
      if (!this.readableEnded) this.#letGo();
    }
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#length += chunk.length;
    if (this.#length > this.#limits.limitBytes) return this.#refuse(tooLarge(this.#limits.limitBytes));
    if (this.#length <= LARGE_BODY_BYTES) return done(null, chunk);
    const accept = () => this.#limits.gate.acceptChunk(() => done(null, chunk));
    if (this.#enter === undefined) return accept();
    const entering = this.#enter();
    this.#enter = undefined;
    entering.then((refused) => {
      if (refused) return this.#refuse(refused);
      this.#setDeadline();
      return accept();
    }, done);
    return undefined;
  }

  #setDeadline(): void {
    const { arrivesMs } = this.#limits.gate;
    this.#deadline = setTimeout(
      () =>
        this.#refuse(refuse('parse_error', { detail: `The body did not arrive within ${arrivesMs / 1_000} seconds.` })),
      arrivesMs,
    );
  }

  #refuse(refused: Refused): void {
    this.destroy(new ReadingEnded(refused));
  }

  #letGo(): void {
    this.#request.unpipe();
    this.#request.pause();
    this.#unpacker?.destroy();
    this.destroy();
  }
}

function tooLarge(limitBytes: number): Refused {
  return refuse('request_too_large', {
    detail: `The body is larger than ${limitBytes} bytes, the limit of this operation.`,
  });
}

/** Returns whether unread bytes of a rejected body may be left on the connection. */
export function isLeftUnread(request: IncomingMessage, outcome: unknown): boolean {
  return isRefused(outcome) && !request.complete;
}

/** The content encoding of a request in lower case; `x-gzip` is `gzip` (RFC 9110, 8.4.1.3). */
export function contentEncodingOf(header: string | undefined): string | undefined {
  const encoding = header?.trim().toLowerCase();
  return encoding === 'x-gzip' ? 'gzip' : encoding;
}
