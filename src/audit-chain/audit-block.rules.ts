import { hash } from 'node:crypto';

/**
 * An audit entry as it is hashed (docs/operators/audit.md#the-chain): values as Postgres writes them as text. `before` and `after` are
 * without the members that an erasure removes; these are in `texts` with the reason and the salt.
 */
export interface HashedEntry {
  id: string;
  at: string;
  actorKeyId: string | null;
  actorName: string;
  action: string;
  subject: string;
  before: string | null;
  after: string | null;
  hasReason: boolean;
  /** Null if the entry has no text that an erasure would remove. */
  texts: string | null;
}

/** What the hash of a block covers, besides the previous block. */
export interface BlockContent {
  number: string;
  day: string;
  /** In UTC with microseconds. */
  sealedAt: string;
  ids: readonly string[];
  digests: Buffer;
}

const HASH_BYTES = 32;
/** Two hashes: of the values that are kept, and of the texts. */
export const DIGEST_BYTES = 2 * HASH_BYTES;
const NO_TEXTS = Buffer.alloc(HASH_BYTES);
/** The previous hash of the first block. */
export const FIRST_HASH = Buffer.alloc(HASH_BYTES);

/** The hash of the values of an entry that are kept, and the hash of its texts. */
export function digestOf(entry: HashedEntry): Buffer {
  const { id, at, actorKeyId, actorName, action, subject, before, after, hasReason, texts } = entry;
  const kept = JSON.stringify([id, at, actorKeyId, actorName, action, subject, before, after, hasReason]);
  return Buffer.concat([hash('sha256', kept, 'buffer'), texts === null ? NO_TEXTS : hash('sha256', texts, 'buffer')]);
}

/** Whether two digests agree about the values that are kept. */
export function agreesOnKept(one: Buffer, other: Buffer): boolean {
  return one.subarray(0, HASH_BYTES).equals(other.subarray(0, HASH_BYTES));
}

/** The hash of a block. */
export function hashOfBlock(previous: Buffer, { number, day, sealedAt, ids, digests }: BlockContent): Buffer {
  const head = `gangway-audit-block/1\n${number}\n${day}\n${sealedAt}\n${previous.toString('hex')}\n${ids.join(' ')}\n`;
  return hash('sha256', Buffer.concat([Buffer.from(head), digests]), 'buffer');
}
