import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { CertificateKeys } from '../reconciliation/index.ts';
import { findAnchorFindings } from './anchor.rules.ts';
import { listAnchors } from './audit-anchor.store.ts';
import { FIRST_HASH } from './audit-block.rules.ts';
import type { VerificationPhase } from './audit-chain.entity.ts';
import type { AuditFinding } from './audit-chain.schema.ts';
import { HASHED_ENTRY, timestampSql, type HashedEntryRow } from './hashed-entry.store.ts';
import { isUnsealedSql } from './seal-audit.store.ts';
import { compareEntries, findBlockFindings, type PreviousBlock, type StoredBlock } from './verify-block.rules.ts';

/** What a verification compares with. */
export interface VerificationDeps {
  /** Undefined: signatures are not verified. */
  keys: CertificateKeys | undefined;
  /** Days after which retention may have deleted blocks. */
  keptDays: number;
}

/** A step of a verification. */
export interface VerificationStep {
  /** Where the next step begins; undefined after the last one. */
  next: { phase: VerificationPhase; position: string } | undefined;
  blocks: number;
  entries: number;
  unsignedBlocks: number;
  findings: AuditFinding[];
}

/** More than are made in centuries. */
const ANCHORS_MAX = 100_000;
/** Entries and blocks of a step; it takes about 0.1 s. */
const STEP_ENTRIES = 5_000;
const STEP_BLOCKS = 2_000;
/** Ids of a step that searches entries in no block. */
const STEP_IDS = 20_000;
/** An anchor is created by the next round of a worker; the verification at midnight does not miss it yet. */
const ANCHOR_GRACE = '1 hour';

const step = (next: VerificationStep['next'], findings: AuditFinding[]): VerificationStep => ({
  next,
  findings,
  blocks: 0,
  entries: 0,
  unsignedBlocks: 0,
});

/** Verifies the next part of the audit. @param position as in `next` of the previous step */
export async function verifyStep(
  em: EntityManager,
  { phase, position }: NonNullable<VerificationStep['next']>,
  deps: VerificationDeps,
): Promise<VerificationStep> {
  if (phase === 'anchors') return verifyAnchors(em, deps);
  return phase === 'blocks' ? verifyBlocks(em, position, deps) : findInserted(em, position);
}

const LAST_BLOCKS: PreparedQuery = {
  name: 'audit-verify-anchored-blocks',
  text: 'select b.number, b.hash from audit_anchor a join audit_block b on b.number = a.last_block where a.entries > 0',
};

const LAST_DAY: PreparedQuery = {
  name: 'audit-verify-last-day',
  text: `
    select ((now() at time zone 'UTC' - interval '${ANCHOR_GRACE}')::date - 1)::text as "lastDay"
    where (select day from audit_block order by number limit 1) < (now() at time zone 'UTC' - interval '${ANCHOR_GRACE}')::date`,
};

async function verifyAnchors(em: EntityManager, { keys }: VerificationDeps): Promise<VerificationStep> {
  const anchors = await listAnchors(em, undefined, ANCHORS_MAX);
  const blocks = await run<{ number: string; hash: Buffer }>(em, LAST_BLOCKS, []);
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  const [last] = await run<{ lastDay: string }>(em, LAST_DAY, []);
  const compared = await Promise.all(
    anchors.map(async (anchor) => ({
      ...anchor,
      blockHash: hashes.get(anchor.lastBlock) ?? null,
      signed: keys === undefined || anchor.jws === null ? null : await keys.readSigned(anchor.jws),
    })),
  );
  const expected = { hasKeys: keys !== undefined, lastDay: last?.lastDay };
  return step({ phase: 'blocks', position: '0' }, findAnchorFindings(compared, expected));
}

const BLOCKS: PreparedQuery = {
  name: 'audit-verify-blocks',
  text: `
    select number, day::text, ${timestampSql('sealed_at')} as "sealedAt", previous, ids::text[], digests, hash, key_id as "keyId", signature
    from (
      select b.*, sum(entries) over (order by number) as total from audit_block b where number > $1 order by number limit ${STEP_BLOCKS}) b
    where total - entries < ${STEP_ENTRIES} order by number`,
};

const ENTRIES: PreparedQuery = {
  name: 'audit-verify-entries',
  text: `select ${HASHED_ENTRY} from unnest($1::uuid[]) i (id) join audit_entry e on e.id = i.id`,
};

const PREVIOUS: PreparedQuery = {
  name: 'audit-verify-previous',
  text: `select number, hash, ${timestampSql('sealed_at')} as "sealedAt" from audit_block where number = $1`,
};

/** The first block that retention has kept, and the anchor of the block before it. */
const FIRST_KEPT: PreparedQuery = {
  name: 'audit-verify-first-kept',
  text: `
    select b.number, a.last_block = b.number - 1 as "isWholeDay", a.hash, a.day < (now() at time zone 'UTC')::date - greatest($1::integer, 365) as "isExpired"
    from (select number from audit_block order by number limit 1) b
    left join lateral (select * from audit_anchor where last_block >= b.number - 1 and entries > 0 order by day limit 1) a on true`,
};

const STILL_STORED: PreparedQuery = {
  name: 'audit-verify-still-stored',
  text: 'select number from audit_block where number = any ($1::bigint[])',
};

async function verifyBlocks(em: EntityManager, position: string, deps: VerificationDeps): Promise<VerificationStep> {
  const blocks = await run<StoredBlock & Record<string, unknown>>(em, BLOCKS, [position]);
  let previous = await previousOf(em, position, deps);
  if (blocks.length === 0) return step({ phase: 'entries', position: '' }, await compareEnd(em, previous));
  const ids = blocks.flatMap((block) => block.ids);
  const rows = await run<HashedEntryRow>(em, ENTRIES, [ids]);
  const entries = new Map(rows.map((row) => [row.id, row]));
  const findings: AuditFinding[] = [];
  const erased: AuditFinding[] = [];
  for (const block of blocks) {
    findings.push(...findBlockFindings(block, previous, deps.keys?.isSigned));
    const compared = compareEntries(block, previous, entries);
    findings.push(...compared.findings);
    erased.push(...compared.erased);
    previous = block;
  }
  findings.push(...(await withoutErasures(em, erased)));
  return {
    next: { phase: 'blocks', position: previous.number },
    blocks: blocks.length,
    entries: ids.length,
    unsignedBlocks: blocks.filter(({ signature }) => signature === null).length,
    findings: await withoutDeletedBlocks(em, findings),
  };
}

/** The block before the next one, or the start of the part that retention has kept. */
async function previousOf(em: EntityManager, position: string, { keptDays }: VerificationDeps): Promise<PreviousBlock> {
  const start = { number: '0', hash: FIRST_HASH, sealedAt: null };
  if (position !== '0') {
    const [previous] = await run<PreviousBlock & Record<string, unknown>>(em, PREVIOUS, [position]);
    return previous ?? { number: position, hash: null, sealedAt: null };
  }
  const [first] = await run<{ number: string; isWholeDay: boolean | null; hash: Buffer; isExpired: boolean | null }>(
    em,
    FIRST_KEPT,
    [keptDays],
  );
  if (first === undefined || !first.isExpired) return start;
  // The blocks of its day that retention has not deleted yet are verified by their end, which the anchor holds.
  return { number: String(BigInt(first.number) - 1n), hash: first.isWholeDay ? first.hash : null, sealedAt: null };
}

const END: PreparedQuery = {
  name: 'audit-verify-end',
  text: 'select c.number, b.hash = c.hash as "isSame" from audit_chain c left join audit_block b on b.number = c.number',
};

/** Compares the end of the chain with the last block. */
async function compareEnd(em: EntityManager, previous: PreviousBlock): Promise<AuditFinding[]> {
  const [end] = await run<{ number: string; isSame: boolean | null }>(em, END, []);
  if (end === undefined || end.isSame || (end.number === '0' && previous.number === '0')) return [];
  const detail =
    end.isSame === null
      ? `Blocks ${BigInt(previous.number) + 1n} to ${end.number} are missing.`
      : 'The last block has another hash than the end of the chain.';
  const kind = end.isSame === null ? 'block_missing' : 'block_changed';
  return [{ kind, day: null, block: Number(end.number), entry_id: null, detail }];
}

const ERASURES: PreparedQuery = {
  name: 'audit-verify-erasures',
  text: `
    select erased.id from audit_entry e cross join lateral jsonb_array_elements_text(
      case when jsonb_typeof(e.after -> 'audit_entries') = 'array' then e.after -> 'audit_entries' else '[]' end) as erased (id)
    where e.action = 'person.erased' and erased.id = any ($1::text[])`,
};

/** Erasures list the entries whose texts they have erased, and are entries of the chain themselves. */
async function withoutErasures(em: EntityManager, erased: readonly AuditFinding[]): Promise<AuditFinding[]> {
  if (erased.length === 0) return [];
  const rows = await run<{ id: string }>(em, ERASURES, [erased.map(({ entry_id: id }) => id)]);
  const listed = new Set(rows.map(({ id }) => id));
  return erased.filter(({ entry_id: id }) => !listed.has(id!));
}

/** Drops findings of blocks that retention has deleted since they were read. */
async function withoutDeletedBlocks(em: EntityManager, findings: AuditFinding[]): Promise<AuditFinding[]> {
  if (findings.length === 0) return findings;
  const rows = await run<{ number: string }>(em, STILL_STORED, [[...new Set(findings.map(({ block }) => block))]]);
  const stored = new Set(rows.map(({ number }) => Number(number)));
  return findings.filter(({ block }) => stored.has(block!));
}

const IDS: PreparedQuery = {
  name: 'audit-verify-ids',
  text: `select id::text from audit_entry where id > $1::uuid order by id limit ${STEP_IDS}`,
};

/** Ids that no block has whose last entry is among or soon after them. */
const NOT_NEAR: PreparedQuery = {
  name: 'audit-verify-not-near',
  text: `
    select i.id::text from unnest($1::uuid[]) i (id)
    where not exists (
      select from (select unnest(b.ids) as id from audit_block b where b.last_id >= $2::uuid and b.last_id <= $3::uuid) s where s.id = i.id)`,
};

/** Entries among the ids that are in no block, and are not waiting for the next one. */
const IN_NO_BLOCK: PreparedQuery = {
  name: 'audit-verify-in-no-block',
  text: `
    select e.id::text, ${timestampSql('e.at')} as at, e.action from audit_entry e, audit_chain c
    where e.id = any ($1::uuid[]) and not (${isUnsealedSql})
      and not exists (select from audit_block b where b.first_id <= e.id and b.last_id >= e.id and e.id = any (b.ids))`,
};

const NO_ID = '00000000-0000-0000-0000-000000000000';

async function findInserted(em: EntityManager, position: string): Promise<VerificationStep> {
  const ids = (await run<{ id: string }>(em, IDS, [position || NO_ID])).map(({ id }) => id);
  if (ids.length === 0) return step(undefined, []);
  const last = ids.at(-1)!;
  const candidates = await run<{ id: string }>(em, NOT_NEAR, [ids, ids[0], hourAfter(last)]);
  const found =
    candidates.length === 0
      ? []
      : await run<{ id: string; at: string; action: string }>(em, IN_NO_BLOCK, [candidates.map(({ id }) => id)]);
  return step(
    ids.length < STEP_IDS ? undefined : { phase: 'entries', position: last },
    found.map(({ id, at, action }) => ({
      kind: 'entry_inserted',
      day: null,
      block: null,
      entry_id: id,
      detail: `The entry ${action} of ${at} is in no block.`,
    })),
  );
}

const HOUR_MS = 3_600_000;
const TIME_DIGITS = 12;

/** The largest id of the hour after an id: ids begin with milliseconds. */
function hourAfter(id: string): string {
  const digits = id.replaceAll('-', '');
  const time = Math.min(Number.parseInt(digits.slice(0, TIME_DIGITS), 16) + HOUR_MS, 2 ** 48 - 1);
  const next = time.toString(16).padStart(TIME_DIGITS, '0').padEnd(digits.length, 'f');
  return [next.slice(0, 8), next.slice(8, 12), next.slice(12, 16), next.slice(16, 20), next.slice(20)].join('-');
}
