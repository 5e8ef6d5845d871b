import { dayAfter } from '../platform/clock.ts';
import type { AuditFinding } from './audit-chain.schema.ts';
import { FIRST_HASH } from './audit-block.rules.ts';

/** The media type of a signed anchor. */
export const ANCHOR_TYP = 'gangway-audit-anchor+jws';

/** An anchor as it is signed. An empty day has a `last_block` one below its `first_block`. */
export interface AnchorDocument {
  type: 'gangway-audit-anchor/1';
  day: string;
  first_block: number;
  last_block: number;
  entries: number;
  /** Hash of the last block before the day. */
  start_hash: string;
  /** Hash of the last block of the day. */
  hash: string;
}

/** A stored anchor. */
export interface StoredAnchor {
  day: string;
  firstBlock: string;
  lastBlock: string;
  entries: string;
  startHash: Buffer;
  hash: Buffer;
  jws: string | null;
}

/** The document of an anchor. */
export function documentOf(anchor: Omit<StoredAnchor, 'jws'>): AnchorDocument {
  return {
    type: 'gangway-audit-anchor/1',
    day: anchor.day,
    first_block: Number(anchor.firstBlock),
    last_block: Number(anchor.lastBlock),
    entries: Number(anchor.entries),
    start_hash: anchor.startHash.toString('hex'),
    hash: anchor.hash.toString('hex'),
  };
}

/** An anchor with what it is compared with. */
export interface ComparedAnchor extends StoredAnchor {
  /** Hash of its last block; null if the block does not exist. */
  blockHash: Buffer | null;
  /** The content of its signature; undefined if the signature is invalid, null if there is none or no key to verify it. */
  signed: unknown;
}

/**
 * Checks all anchors, from the first day on.
 * @param expected `hasKeys`: whether anchors must be signed; `lastDay`: the last day that must have an anchor, if there are blocks
 */
export function findAnchorFindings(
  anchors: readonly ComparedAnchor[],
  { hasKeys, lastDay }: { hasKeys: boolean; lastDay: string | undefined },
): AuditFinding[] {
  const findings: AuditFinding[] = [];
  const add = (kind: 'anchor_changed' | 'anchor_missing' | 'signature_invalid', day: string, detail: string) =>
    findings.push({ kind, day, block: null, entry_id: null, detail });
  let previous: Pick<StoredAnchor, 'day' | 'lastBlock' | 'hash'> | undefined;
  for (const anchor of anchors) {
    const { day, firstBlock, startHash, hash, jws, blockHash, signed } = anchor;
    if (previous !== undefined && day !== dayAfter(previous.day)) {
      add('anchor_missing', dayAfter(previous.day), `There is no anchor from this day until ${day}.`);
    } else if (
      !startHash.equals(previous?.hash ?? FIRST_HASH) ||
      BigInt(firstBlock) !== BigInt(previous?.lastBlock ?? '0') + 1n
    ) {
      add('anchor_changed', day, 'The anchor does not continue the one of the day before.');
    }
    if (blockHash !== null && !blockHash.equals(hash)) {
      add('anchor_changed', day, 'The last block of the day has another hash than its anchor.');
    }
    if (hasKeys && jws === null) add('signature_invalid', day, 'The anchor is not signed.');
    else if (signed === undefined) add('signature_invalid', day, 'No known key has signed the anchor.');
    else if (signed !== null && JSON.stringify(signed) !== JSON.stringify(documentOf(anchor))) {
      add('anchor_changed', day, 'The anchor differs from its signed form.');
    }
    previous = anchor;
  }
  if (lastDay !== undefined && (previous === undefined || previous.day < lastDay)) {
    const day = previous === undefined ? lastDay : dayAfter(previous.day);
    add('anchor_missing', day, `There is no anchor from this day until ${lastDay}.`);
  }
  return findings;
}
