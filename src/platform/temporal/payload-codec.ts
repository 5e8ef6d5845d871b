import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';

const ENCODING = 'binary/encrypted';
const CIPHER = 'aes-256-gcm';
const [IV_BYTES, TAG_BYTES, KEY_ID_CHARACTERS] = [12, 16, 16] as const;
/** Metadata that is encrypted with the data: the workflow that it belongs to, for the audit of people who decrypt it. */
const WORKFLOW_ID = 'gangway-workflow-id';
const text = {
  of: (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('utf8'),
  to: (words: string) => Buffer.from(words, 'utf8'),
};
const WirePayload = proto.temporal.api.common.v1.Payload;

/** The key of a payload is not in the setting. The run is retried until a process has it. */
class PayloadKeyMissing extends Error {
  override name = 'PayloadKeyMissing';
}

/**
 * Encrypts data for Temporal, so that its database, backups and web UI contain ciphertext (docs/running/security.md).
 * @param keys 32 bytes each: the first encrypts, all decrypt; a second one is set while keys are rotated
 * @returns undefined without a key
 */
export function encryptedPayloads(keys: readonly Buffer[]): DataConverter | undefined {
  return keys.length === 0 ? undefined : { payloadCodecs: [createPayloadCodec(keys)] };
}

/** @throws PayloadKeyMissing when decoding a payload that was encrypted with another key */
export function createPayloadCodec(keys: readonly Buffer[]): PayloadCodec {
  const byId = keysById(keys);
  const [[id, key] = ['', Buffer.alloc(0)]] = byId;
  return {
    encode: async (payloads, context) =>
      payloads.map((payload) => sealed(withWorkflowId(payload, context?.workflowId), id, key)),
    // Data from before encryption was enabled stays readable, so that runs continue.
    decode: async (payloads) =>
      payloads.map((payload) => (isSealed(payload) ? opened(payload, byId).payload : payload)),
  };
}

/** A decrypted payload. */
export interface OpenedPayload {
  payload: Payload;
  /** The workflow that it was encrypted for, if the SDK knew it. */
  workflowId: string | undefined;
}

/**
 * Decrypts payloads for people. Returns undefined for a payload that is not encrypted, was encrypted with another key, or was changed.
 * @param keys as in `encryptedPayloads`
 */
export function createPayloadOpener(keys: readonly Buffer[]): (payload: Payload) => OpenedPayload | undefined {
  const byId = keysById(keys);
  return (payload) => {
    if (!isSealed(payload)) return undefined;
    try {
      return opened(payload, byId);
    } catch {
      return undefined;
    }
  };
}

/** The keys of the setting TEMPORAL_PAYLOAD_KEY. */
export function payloadKeysIn(setting: string | undefined): Buffer[] {
  return setting?.split(/\s+/).map((given) => Buffer.from(given, 'base64')) ?? [];
}

function keysById(keys: readonly Buffer[]): ReadonlyMap<string, Buffer> {
  return new Map(keys.map((key) => [idOf(key), key]));
}

function isSealed(payload: Payload): boolean {
  return text.of(payload.metadata?.['encoding']) === ENCODING;
}

function withWorkflowId(payload: Payload, workflowId: string | undefined): Payload {
  if (workflowId === undefined) return payload;
  return { ...payload, metadata: { ...payload.metadata, [WORKFLOW_ID]: text.to(workflowId) } };
}

/** Identifies a key without revealing it. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('gangway payload key').update(key).digest('hex').slice(0, KEY_ID_CHARACTERS);
}

function sealed(payload: Payload, keyId: string, key: Buffer): Payload {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const data = Buffer.concat([
    iv,
    cipher.update(WirePayload.encode(payload).finish()),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return { metadata: { encoding: text.to(ENCODING), 'encryption-key-id': text.to(keyId) }, data };
}

/** @throws PayloadKeyMissing without the key, and an error if the payload was changed */
function opened(payload: Payload, byId: ReadonlyMap<string, Buffer>): OpenedPayload {
  const id = text.of(payload.metadata?.['encryption-key-id']);
  const key = byId.get(id);
  if (key === undefined) {
    throw new PayloadKeyMissing(`payload key ${id} is not in the setting TEMPORAL_PAYLOAD_KEY`);
  }
  const data = Buffer.from(payload.data ?? []);
  const decipher = createDecipheriv(CIPHER, key, data.subarray(0, IV_BYTES));
  decipher.setAuthTag(data.subarray(data.length - TAG_BYTES));
  const wire = WirePayload.decode(
    Buffer.concat([decipher.update(data.subarray(IV_BYTES, data.length - TAG_BYTES)), decipher.final()]),
  );
  const { [WORKFLOW_ID]: workflowId, ...metadata } = wire.metadata ?? {};
  return {
    payload: { metadata, data: wire.data },
    workflowId: workflowId === undefined ? undefined : text.of(workflowId),
  };
}
