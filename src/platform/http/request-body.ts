import type { Context } from 'koa';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { MaybePromise } from '../../foundation/maybe-promise.ts';
import { parseScanned, scanBody, type ParsedBody, type ScannedBody } from './json-body.ts';
import { LARGE_BODY_BYTES, type LargeBodyGate } from './large-body-gate.ts';
import type { EventLoopScheduler } from './event-loop-scheduler.ts';
import { createBodyReader, isLeftUnread } from './request-bytes.ts';
import type { Caller, Route } from './route.ts';

/** Reads the body of a route in two steps: bytes, then content. */
export interface RequestBody {
  /** Reads the bytes of a JSON body. A large one waits for capacity. Throws HungUp. */
  read(ctx: Context): Promise<Buffer | Refused>;
  /** Scans and parses a body. Each step of a large one gets its own time slice. */
  parse(bytes: Buffer, isLarge: boolean): MaybePromise<ParsedBody | Refused>;
}

/** Smaller bodies cannot have many values, so their commas are not counted. */
const SCANNED_BYTES_MIN = 8_192;
/** A body with more commas is processed like a large one: each value may be a violation, which costs more than its bytes. */
const MANY_COMMAS = 4_000;
const COMMA = 0x2c;

/** Creates the body reader of a route. */
export function requestBodyOf(
  { bodyLimitBytes: limitBytes = 0, hasManyMembers, openApi }: Route,
  { largeBodies: gate, scheduler }: { largeBodies: LargeBodyGate; scheduler: EventLoopScheduler },
): RequestBody {
  const readBytes = createBodyReader({ limitBytes, gate });
  const isAccount = openApi?.refusals?.includes('account_failed_validation') === true;
  const scan = (bytes: Buffer): ScannedBody | Refused => {
    const scanned = scanBody(bytes, hasManyMembers);
    return isAccount && isRefused(scanned) && scanned.code === 'validation_failed'
      ? { ...scanned, code: 'account_failed_validation' }
      : scanned;
  };
  return {
    read: async (ctx) => {
      if (!isJson(ctx.get('content-type')) && !isBodyless(ctx)) return refuse('unsupported_media_type');
      const organisation = (ctx.state['caller'] as Caller | undefined)?.organisation ?? '';
      const bytes = await readBytes(ctx.req, ctx.res, organisation);
      if (isLeftUnread(ctx.req, bytes)) ctx.set('connection', 'close');
      return bytes;
    },
    parse: (bytes, isLarge) => {
      const delayed = scheduler.acquire(isLarge);
      if (delayed === undefined) return parseIfScanned(scan(bytes));
      return delayed.then(async () => {
        const scanned = scan(bytes);
        if (!isLarge || isRefused(scanned)) return parseIfScanned(scanned);
        await scheduler.acquire(true);
        const parsed = withoutText(parseIfScanned(scanned));
        await scheduler.acquire(true);
        return parsed;
      });
    },
  };
}

function parseIfScanned(scanned: ScannedBody | Refused): ParsedBody | Refused {
  return isRefused(scanned) ? scanned : parseScanned(scanned);
}

/** Drops the text of a large body, which would be kept in memory until the request is answered. */
function withoutText(parsed: ParsedBody | Refused): ParsedBody | Refused {
  if (isRefused(parsed)) return parsed;
  const { value, sent, isPlain } = parsed;
  return { value, sent, isPlain };
}

/** Returns whether a body is processed as a large one: in steps, one body at a time. */
export function isLarge(bytes: Buffer): boolean {
  return bytes.length > LARGE_BODY_BYTES || (bytes.length > SCANNED_BYTES_MIN && holdsManyValues(bytes));
}

function holdsManyValues(bytes: Buffer): boolean {
  let commas = 0;
  for (const byte of bytes) if (byte === COMMA) commas += 1;
  return commas > MANY_COMMAS;
}

export function isBodyless(ctx: Context): boolean {
  return ctx.get('content-length') === '0' || (!ctx.get('content-length') && !ctx.get('transfer-encoding'));
}

function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type, ...parameters] = contentType.toLowerCase().split(';');
  if (type?.trim() !== 'application/json') return false;
  return parameters.every(
    (parameter) => !parameter.trim().startsWith('charset') || /^charset\s*=\s*"?utf-?8"?$/.test(parameter.trim()),
  );
}
