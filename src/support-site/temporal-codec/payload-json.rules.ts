import type { Payload } from '@temporalio/common';

/** Most payloads of one request. Temporal's web UI sends those of one event, or of one page of a history. */
const PAYLOADS_MAX = 1_000;

/** The body of Temporal's remote codec protocol, which is the protobuf JSON of `Payloads`: bytes are base64. */
export interface PayloadsJson {
  payloads: PayloadJson[];
}

interface PayloadJson {
  metadata?: Record<string, string>;
  data?: string;
}

/** Returns the payloads of a body; undefined if it is none of the protocol. */
export function payloadsIn(body: unknown): PayloadsJson | undefined {
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

export function payloadOf({ metadata = {}, data = '' }: PayloadJson): Payload {
  const bytes = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { metadata: Object.fromEntries(bytes), data: Buffer.from(data, 'base64') };
}

export function jsonOf({ metadata, data }: Payload): PayloadJson {
  const texts = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64Of(bytes)]);
  return { metadata: Object.fromEntries(texts), data: base64Of(data) };
}

function base64Of(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64');
}
