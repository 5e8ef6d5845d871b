import { hash } from 'node:crypto';
import type { AuditFinding } from './audit-chain.schema.ts';

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
interface BlockContent {
  number: string;
  day: string;
  /** In UTC with microseconds. */
  sealedAt: string;
  ids: readonly string[];
  digests: Buffer;
}

const HASH_BYTES = 32;
/** Two hashes: of the values that are kept, and of the texts. */
const DIGEST_BYTES = 2 * HASH_BYTES;
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
function agreesOnKept(one: Buffer, other: Buffer): boolean {
  return one.subarray(0, HASH_BYTES).equals(other.subarray(0, HASH_BYTES));
}

/** The hash of a block. */
export function hashOfBlock(previous: Buffer, { number, day, sealedAt, ids, digests }: BlockContent): Buffer {
  const head = `gangway-audit-block/1\n${number}\n${day}\n${sealedAt}\n${previous.toString('hex')}\n${ids.join(' ')}\n`;
  return hash('sha256', Buffer.concat([Buffer.from(head), digests]), 'buffer');
}

/** A stored block. */
interface StoredBlock {
  number: string;
  day: string;
  /** In UTC with microseconds. */
  sealedAt: string;
  previous: Buffer;
  ids: string[];
  digests: Buffer;
  hash: Buffer;
  keyId: string | null;
  signature: Buffer | null;
}

/** The end of the chain before a block. `hash` is null if it cannot be known, because older blocks were deleted. */
export interface PreviousBlock {
  number: string;
  hash: Buffer | null;
  sealedAt: string | null;
}

/** Whether a key has signed a hash; undefined if there are no keys. */
type IsSigned = (hash: Buffer, by: { keyId: string; signature: Buffer }) => boolean;

/**
 * How much older than the previous block an entry may be, longer than any transaction takes: its time is the start of its transaction.
 */
const TRANSACTION_MAX_MS = 3_600_000;

/** Checks the number, the hash and the signature of a block, and that it continues the previous one. */
export function findBlockFindings(
  block: StoredBlock,
  previous: PreviousBlock,
  isSigned: IsSigned | undefined,
): AuditFinding[] {
  const findings: AuditFinding[] = [];
  const { number, day, keyId, signature } = block;
  const add = (kind: AuditFinding['kind'], detail: string) =>
    findings.push({ kind, day, block: Number(number), entry_id: null, detail });
  const expected = BigInt(previous.number) + 1n;
  if (BigInt(number) !== expected) {
    add('block_missing', `Blocks ${expected} to ${BigInt(number) - 1n} before it are missing.`);
  } else if (previous.hash !== null && !previous.hash.equals(block.previous)) {
    add('block_changed', 'It does not continue the block before it.');
  }
  if (!hashOfBlock(block.previous, block).equals(block.hash)) add('block_changed', 'Its content has another hash.');
  if (isSigned !== undefined) {
    if (keyId === null || signature === null) add('signature_invalid', 'The block is not signed.');
    else if (!isSigned(block.hash, { keyId, signature })) {
      add('signature_invalid', 'No known key has signed the block.');
    }
  }
  return findings;
}

/**
 * Compares the entries of a block with their digests.
 * @param entries the stored entries by id
 * @returns findings, and entries whose texts are erased: valid if an erasure lists them
 */
export function compareEntries(
  block: StoredBlock,
  previous: PreviousBlock,
  entries: ReadonlyMap<string, HashedEntry>,
): { findings: AuditFinding[]; erased: AuditFinding[] } {
  const findings: AuditFinding[] = [];
  const erased: AuditFinding[] = [];
  const finding = (kind: AuditFinding['kind'], id: string, detail: string): AuditFinding => ({
    kind,
    day: block.day,
    block: Number(block.number),
    entry_id: id,
    detail,
  });
  const earliest = previous.sealedAt === null ? -Infinity : Date.parse(previous.sealedAt) - TRANSACTION_MAX_MS;
  for (const [index, id] of block.ids.entries()) {
    const entry = entries.get(id);
    if (entry === undefined) {
      findings.push(finding('entry_deleted', id, 'The entry does not exist.'));
      continue;
    }
    const sealed = block.digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
    const digest = digestOf(entry);
    if (!digest.equals(sealed)) {
      if (agreesOnKept(digest, sealed) && isErased(entry)) {
        erased.push(finding('entry_changed', id, 'Its texts are erased, but no erasure in the audit lists it.'));
      } else findings.push(finding('entry_changed', id, 'The entry differs from its digest.'));
    } else if (Date.parse(entry.at) < earliest || entry.at > block.sealedAt) {
      findings.push(
        finding(
          'entry_backdated',
          id,
          `Its time is ${entry.at}, but it was written between two blocks of ${block.day}.`,
        ),
      );
    }
  }
  return { findings, erased };
}

/** Whether an entry has what `erase_texts_of_audit` leaves: no salt, and at most the reason "erased". */
function isErased({ hasReason, texts }: HashedEntry): boolean {
  return hasReason ? texts === '[null, "erased", null, null]' : texts === null;
}
