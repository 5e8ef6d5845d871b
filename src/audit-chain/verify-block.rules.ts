import type { AuditFinding } from './audit-chain.schema.ts';
import { agreesOnKept, DIGEST_BYTES, digestOf, hashOfBlock, type HashedEntry } from './audit-block.rules.ts';

/** A stored block. */
export interface StoredBlock {
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
export type IsSigned = (hash: Buffer, by: { keyId: string; signature: Buffer }) => boolean;

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
