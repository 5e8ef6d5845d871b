import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import { LRUCache } from 'lru-cache';
import { actorOf, recordAudit, type PersonSessionView } from '../../access/index.ts';
import { drain } from '../../platform/http/streamed-body.ts';
import { createPayloadOpener, payloadKeysIn, type OpenedPayload } from '../../platform/temporal/payload-codec.ts';
import { countInWindows } from '../../platform/windowed-count.ts';
import { personMay } from '../../vocabulary/operator-actions.ts';
import { refusals, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { PageServer } from '../frame/serve-page.ts';
import type { Payload } from '@temporalio/common';

/** Address of the codec endpoint for Temporal's web UI, which appends `/decode`. */
const CODEC_PATH = '/temporal-codec';
/** Temporal accepts payloads of 2 MB, which base64 and encryption enlarge. */
const BODY_LIMIT = '4mb';
/** The web UI sends a request for each event of a history. */
const REQUESTS_PER_MINUTE = 1_200;
const PEOPLE_MAX = 1_000;
/** Reads of the same workflow by the same session within this time get one audit entry, because the web UI sends many requests for a page. */
const ONE_ENTRY_MS = 60_000;
const ENTRIES_REMEMBERED_MAX = 10_000;
const PREFLIGHT_KEPT_SECONDS = 600;
const SUBJECT_CHARACTERS_MAX = 300;

interface CodecRoute {
  method: 'OPTIONS' | 'POST';
  path: string;
  answer(ctx: Context): Promise<void>;
}

/**
 * The remote codec endpoint of Temporal's web UI (docs/running/temporal-web-ui.md): decrypts payloads for people with a session of this site.
 * Only pages of TEMPORAL_UI_URL may read its responses. There is no `/encode`: the web UI cannot start or signal runs with encrypted data.
 * @returns no route without a payload key or the address of the web UI
 */
export function codecRoutes(server: PageServer): CodecRoute[] {
  const { TEMPORAL_PAYLOAD_KEY: setting, TEMPORAL_UI_URL: webUi } = server.deps.settings;
  if (setting === undefined || webUi === undefined) return [];
  const allowed = new URL(webUi).origin;
  const decode = payloadDecoder(server, setting);
  const path = `${CODEC_PATH}/decode`;
  return [
    {
      method: 'OPTIONS',
      path,
      answer: async (ctx) => {
        allowOrigin(ctx, allowed);
        ctx.set({
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'content-type, x-namespace',
          'access-control-max-age': String(PREFLIGHT_KEPT_SECONDS),
        });
        ctx.status = 204;
      },
    },
    {
      method: 'POST',
      path,
      answer: async (ctx) => {
        allowOrigin(ctx, allowed);
        // A request without this origin does not come from the web UI, even with a valid cookie.
        const refused =
          ctx.get('origin') === allowed ? await decode(ctx) : forbidden('The origin is not TEMPORAL_UI_URL.');
        if (refused !== undefined) answerRefused(ctx, refused);
      },
    },
  ];
}

function allowOrigin(ctx: Context, allowed: string): void {
  ctx.vary('origin');
  if (ctx.get('origin') !== allowed) return;
  ctx.set({ 'access-control-allow-origin': allowed, 'access-control-allow-credentials': 'true' });
}

/** Everything that may reject a request is checked before its body is read, except the body. */
function payloadDecoder({ deps, sessions }: PageServer, keys: string): (ctx: Context) => Promise<Refused | undefined> {
  const { database, settings } = deps;
  const open = createPayloadOpener(payloadKeysIn(keys));
  const counts = countInWindows({ windowMs: 60_000, namesMax: PEOPLE_MAX });
  const recorded = new LRUCache<string, true>({ max: ENTRIES_REMEMBERED_MAX, ttl: ONE_ENTRY_MS });
  const record = async (session: PersonSessionView, workflowId: string | undefined) => {
    const place = `temporal/${settings.TEMPORAL_NAMESPACE}${workflowId === undefined ? '' : `/${workflowId}`}`;
    const subject = place.slice(0, SUBJECT_CHARACTERS_MAX);
    const key = `${session.id} ${subject}`;
    if (recorded.has(key)) return;
    await recordAudit(database, actorOf(session), { action: 'temporal_payload.decoded', subject });
    recorded.set(key, true);
  };
  return async (ctx) => {
    // Automatic updates of the web UI do not keep the session alive.
    const session = await sessions.find(ctx, false);
    if (session === undefined) return refuse('not_authenticated', { detail: 'Sign in to the support site first.' });
    if (!personMay(session, 'temporal-payload.decode')) {
      return forbidden('You need the role operator to decode payloads.');
    }
    if (counts.add(session.subject) > REQUESTS_PER_MINUTE) {
      return refuse('throttled', { retryAfterSeconds: counts.secondsLeft(session.subject) });
    }
    const namespace = ctx.get('x-namespace');
    if (namespace !== settings.TEMPORAL_NAMESPACE) return forbidden('This is not the namespace of gangway.');
    const body = await bodyOf(ctx);
    if ('refused' in body) return body.refused;
    const sent = payloadsIn(body.json);
    if (sent === undefined) return refuse('validation_failed', { detail: 'The body is no list of payloads.' });
    const opened = sent.payloads.map((json) => open(payloadOf(json)));
    const isOpened = (one: OpenedPayload | undefined): one is OpenedPayload => one !== undefined;
    for (const workflowId of new Set(opened.filter(isOpened).map((one) => one.workflowId))) {
      await record(session, workflowId);
    }
    ctx.type = 'json';
    // Plain payloads, and those with a key that is not known, are returned as they were sent.
    ctx.body = JSON.stringify({
      payloads: sent.payloads.map((json, index) => {
        const one = opened[index];
        return one === undefined ? json : jsonOf(one.payload);
      }),
    });
    return undefined;
  };
}

const readJson = bodyParser({ enableTypes: ['json'], jsonLimit: BODY_LIMIT });

async function bodyOf(ctx: Context): Promise<{ json: unknown } | { refused: Refused }> {
  // Set by the parser of forms, which has not read the body.
  delete (ctx.request as { body?: unknown }).body;
  try {
    await readJson(ctx, async () => {});
  } catch (error) {
    const { status } = error as { status?: unknown };
    if (status === 413) return { refused: refuse('request_too_large') };
    if (status === 400 || status === 415) return { refused: refuse('parse_error') };
    throw error;
  }
  return { json: (ctx.request as { body?: unknown }).body };
}

function forbidden(detail: string): Refused {
  return refuse('permission_denied', { detail });
}

function answerRefused(ctx: Context, { code, detail, retryAfterSeconds }: Refused): void {
  const { status, sentence } = refusals[code];
  drain(ctx.req);
  if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(retryAfterSeconds));
  ctx.status = status;
  ctx.type = 'json';
  ctx.body = JSON.stringify({ code, detail: detail ?? sentence });
}

/** Most payloads of one request. Temporal's web UI sends those of one event, or of one page of a history. */
const PAYLOADS_MAX = 1_000;

/** The body of Temporal's remote codec protocol, which is the protobuf JSON of `Payloads`: bytes are base64. */
interface PayloadsJson {
  payloads: PayloadJson[];
}

interface PayloadJson {
  metadata?: Record<string, string>;
  data?: string;
}

/** Returns the payloads of a body; undefined if it is none of the protocol. */
function payloadsIn(body: unknown): PayloadsJson | undefined {
  const { payloads } = (body ?? {}) as { payloads?: unknown };
  const isBody = Array.isArray(payloads) && payloads.length <= PAYLOADS_MAX && payloads.every(isPayloadJson);
  return isBody ? { payloads } : undefined;
}

function isPayloadJson(value: unknown): value is PayloadJson {
  if (typeof value !== 'object' || value === null) return false;
  const { metadata = {}, data = '' } = value as { metadata?: unknown; data?: unknown };
  return (
    typeof data === 'string' &&
    typeof metadata === 'object' &&
    metadata !== null &&
    Object.values(metadata).every((bytes) => typeof bytes === 'string')
  );
}

function payloadOf({ metadata = {}, data = '' }: PayloadJson): Payload {
  const bytes = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { metadata: Object.fromEntries(bytes), data: Buffer.from(data, 'base64') };
}

function jsonOf({ metadata, data }: Payload): PayloadJson {
  const texts = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64Of(bytes)]);
  return { metadata: Object.fromEntries(texts), data: base64Of(data) };
}

function base64Of(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64');
}
