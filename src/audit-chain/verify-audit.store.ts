import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf, emOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { CertificateKeys } from '../reconciliation/index.ts';
import { findAnchorFindings } from './anchor.rules.ts';
import { listAnchors } from './audit-anchor.store.ts';
import { FIRST_HASH, compareEntries, findBlockFindings, type PreviousBlock } from './audit-block.rules.ts';
import { AuditBlock, type AuditChainTables, type VerificationPhase, AuditVerification } from './audit-chain.entity.ts';
import type { AuditFinding, AuditVerificationView } from './audit-chain.schema.ts';
import { HASHED_ENTRY, timestampOf } from './hashed-entry.store.ts';
import { IS_UNSEALED } from './seal-audit.store.ts';
import { v7 as uuidv7 } from 'uuid';
import { nameOfActor, recordAudit, type Actor } from '../access/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';

/** What a verification compares with. */
interface VerificationDeps {
  /** Undefined: signatures are not verified. */
  keys: CertificateKeys | undefined;
  /** Days after which retention may have deleted blocks. */
  keptDays: number;
}

/** A step of a verification. */
interface VerificationStep {
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
const LAST_DAY = sql<string>`(now() at time zone 'UTC' - interval '1 hour')::date - 1`;

/** SQL: any of some ids. */
const anyOf = (values: readonly string[]) => sql<string>`any(${values})`;
const tablesOf = (em: EntityManager) => kyselyOf<AuditChainTables>(em);

const step = (next: VerificationStep['next'], findings: AuditFinding[]): VerificationStep => ({
  next,
  findings,
  blocks: 0,
  entries: 0,
  unsignedBlocks: 0,
});

/** Verifies the next part of the audit. @param position as in `next` of the previous step */
async function verifyStep(
  em: EntityManager,
  { phase, position }: NonNullable<VerificationStep['next']>,
  deps: VerificationDeps,
): Promise<VerificationStep> {
  if (phase === 'anchors') return verifyAnchors(em, deps);
  return phase === 'blocks' ? verifyBlocks(em, position, deps) : findInserted(em, position);
}

async function verifyAnchors(em: EntityManager, { keys }: VerificationDeps): Promise<VerificationStep> {
  const anchors = await listAnchors(em, undefined, ANCHORS_MAX);
  const blocks = await tablesOf(em)
    .selectFrom('audit_anchor as a')
    .innerJoin('audit_block as b', 'b.number', 'a.last_block')
    .select(['b.number', 'b.hash'])
    .where('a.entries', '>', '0')
    .execute();
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  const first = await findFirstBlock(em);
  const lastDay = first && first.day <= first.lastDay ? first.lastDay : undefined;
  const compared = await Promise.all(
    anchors.map(async (anchor) => ({
      ...anchor,
      blockHash: hashes.get(anchor.lastBlock) ?? null,
      signed: keys === undefined || anchor.jws === null ? null : await keys.readSigned(anchor.jws),
    })),
  );
  const expected = { hasKeys: keys !== undefined, lastDay };
  return step({ phase: 'blocks', position: '0' }, findAnchorFindings(compared, expected));
}

/** The first block, and the last day that must have an anchor. */
function findFirstBlock(em: EntityManager) {
  const blocks = tablesOf(em)
    .selectFrom('audit_block')
    .select(['number', 'day', LAST_DAY.as('lastDay')]);
  return blocks.orderBy('number').limit(1).executeTakeFirst();
}

async function verifyBlocks(em: EntityManager, position: string, deps: VerificationDeps): Promise<VerificationStep> {
  const next = tablesOf(em)
    .selectFrom('audit_block')
    .selectAll()
    .select(sql<string>`sum(entries) over (order by number)`.as('total'))
    .where('number', '>', position)
    .orderBy('number')
    .limit(STEP_BLOCKS);
  const blocks = await tablesOf(em)
    .selectFrom(next.as('b'))
    .select(['number', 'day', 'previous', 'ids', 'digests', 'hash', 'key_id as keyId', 'signature'])
    .select(timestampOf(sql.ref('sealed_at')).as('sealedAt'))
    .where(sql<boolean>`total - entries < ${STEP_ENTRIES}`)
    .orderBy('number')
    .execute();
  let previous = await previousOf(em, position, deps);
  if (blocks.length === 0) return step({ phase: 'entries', position: '' }, await compareEnd(em, previous));
  const ids = blocks.flatMap((block) => block.ids);
  const rows = await tablesOf(em)
    .selectFrom('audit_entry as e')
    .select(HASHED_ENTRY)
    .where('e.id', '=', anyOf(ids))
    .execute();
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
    const previous = await tablesOf(em)
      .selectFrom('audit_block')
      .select(['number', 'hash', timestampOf(sql.ref('sealed_at')).as('sealedAt')])
      .where('number', '=', position)
      .executeTakeFirst();
    return previous ?? { number: position, hash: null, sealedAt: null };
  }
  const first = await findFirstBlock(em);
  if (first === undefined) return start;
  const number = String(BigInt(first.number) - 1n);
  const anchor = await tablesOf(em)
    .selectFrom('audit_anchor')
    .select(['last_block', 'hash'])
    .select(sql<boolean>`day < (now() at time zone 'UTC')::date - greatest(${keptDays}::integer, 365)`.as('isExpired'))
    .where('last_block', '>=', number)
    .where('entries', '>', '0')
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
  if (!anchor?.isExpired) return start;
  // The blocks of its day that retention has not deleted yet are verified by their end, which the anchor holds.
  return { number, hash: anchor.last_block === number ? anchor.hash : null, sealedAt: null };
}

/** Compares the end of the chain with the last block. */
async function compareEnd(em: EntityManager, previous: PreviousBlock): Promise<AuditFinding[]> {
  const end = await tablesOf(em)
    .selectFrom('audit_chain as c')
    .leftJoin('audit_block as b', 'b.number', 'c.number')
    .select(['c.number', 'c.hash', 'b.hash as last'])
    .executeTakeFirst();
  if (end === undefined || end.last?.equals(end.hash) || (end.number === '0' && previous.number === '0')) return [];
  const detail =
    end.last === null
      ? `Blocks ${BigInt(previous.number) + 1n} to ${end.number} are missing.`
      : 'The last block has another hash than the end of the chain.';
  const kind = end.last === null ? 'block_missing' : 'block_changed';
  return [{ kind, day: null, block: Number(end.number), entry_id: null, detail }];
}

/** The ids that an erasure `e` lists. */
const ERASED = sql<{ id: string }>`lateral jsonb_array_elements_text(
  case when jsonb_typeof(e.after -> 'audit_entries') = 'array' then e.after -> 'audit_entries' else '[]' end)`;

/** Erasures list the entries whose texts they have erased, and are entries of the chain themselves. */
async function withoutErasures(em: EntityManager, erased: readonly AuditFinding[]): Promise<AuditFinding[]> {
  if (erased.length === 0) return [];
  const rows = await tablesOf(em)
    .selectFrom('audit_entry as e')
    .innerJoin(ERASED.as<'erased'>(sql`erased (id)`), (on) => on.onTrue())
    .select('erased.id')
    .where('e.action', '=', 'person.erased')
    .where('erased.id', '=', anyOf(erased.map(({ entry_id: id }) => id!)))
    .execute();
  const listed = new Set(rows.map(({ id }) => id));
  return erased.filter(({ entry_id: id }) => !listed.has(id!));
}

/** Drops findings of blocks that retention has deleted since they were read. */
async function withoutDeletedBlocks(em: EntityManager, findings: AuditFinding[]): Promise<AuditFinding[]> {
  if (findings.length === 0) return findings;
  const numbers = [...new Set(findings.map(({ block }) => String(block)))];
  const blocks = await em.find(AuditBlock, { number: numbers }, { fields: ['number'] });
  const stored = new Set(blocks.map(({ number }) => Number(number)));
  return findings.filter(({ block }) => stored.has(block!));
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

async function findInserted(em: EntityManager, position: string): Promise<VerificationStep> {
  const after = tablesOf(em)
    .selectFrom('audit_entry')
    .where('id', '>', position || NO_ID);
  const ids = (await after.select('id').orderBy('id').limit(STEP_IDS).execute()).map(({ id }) => id);
  if (ids.length === 0) return step(undefined, []);
  const last = ids.at(-1)!;
  // Ids that no block has whose last entry is among or soon after them.
  const candidates = await tablesOf(em)
    .selectFrom(sql<{ id: string }>`unnest(${ids}::uuid[])`.as<'i'>(sql`i (id)`))
    .select('i.id')
    .where(({ exists, not, selectFrom }) => {
      const near = selectFrom('audit_block').select(sql<string>`unnest(ids)`.as('id'));
      const sealed = near.where('last_id', '>=', ids[0]!).where('last_id', '<=', hourAfter(last));
      return not(exists(selectFrom(sealed.as('s')).select('s.id').whereRef('s.id', '=', 'i.id')));
    })
    .execute();
  const found = await findInNoBlock(
    em,
    candidates.map(({ id }) => id),
  );
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

/** Finds entries among some ids that are in no block, and are not waiting for the next one. */
function findInNoBlock(em: EntityManager, ids: readonly string[]) {
  return tablesOf(em)
    .selectFrom(['audit_entry as e', 'audit_chain as c'])
    .select(['e.id', timestampOf(sql.ref('e.at')).as('at'), 'e.action'])
    .where('e.id', '=', anyOf(ids))
    .where(({ exists, not, selectFrom }) => {
      const around = selectFrom('audit_block as b').select('b.number').whereRef('b.first_id', '<=', 'e.id');
      return not(exists(around.whereRef('b.last_id', '>=', 'e.id').where(sql<boolean>`e.id = any (b.ids)`)));
    })
    .where(sql<boolean>`not ${IS_UNSEALED}`)
    .execute();
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

/** Findings that are stored with a verification; its steps return all. */
const EXAMPLES_MAX = 100;

/** Begins a verification. @returns its id */
export async function beginVerification(database: Pick<WritableDatabase, 'em'>, actor: Actor): Promise<string> {
  const id = uuidv7();
  await database.em().insert(AuditVerification, { id, startedBy: nameOfActor(actor), examples: [] });
  return id;
}

/**
 * Runs one step of a verification, and records the end in the audit.
 * @returns the verification with the findings of this step; undefined if it does not exist
 */
export async function continueVerification(
  database: WritableDatabase,
  { id, actor, ...deps }: VerificationDeps & { id: string; actor: Actor },
): Promise<AuditVerificationView | undefined> {
  return database.transaction(async (em) => {
    const found = await em.findOne(AuditVerification, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (found === null) return undefined;
    if (found.completedAt) return viewOfVerification(found, []);
    const { phase, position } = found;
    const { next, findings, ...counted } = await verifyStep(em, { phase, position }, deps);
    const plus = (before: string, more: number) => String(BigInt(before) + BigInt(more));
    em.assign(found, {
      ...next,
      completedAt: next === undefined ? new Date() : null,
      blocks: plus(found.blocks, counted.blocks),
      entries: plus(found.entries, counted.entries),
      unsignedBlocks: plus(found.unsignedBlocks, counted.unsignedBlocks),
      findings: plus(found.findings, findings.length),
      examples: [...found.examples, ...findings].slice(0, EXAMPLES_MAX),
    });
    await em.flush();
    const view = viewOfVerification(found, findings);
    if (next === undefined) {
      const { blocks, entries, finding_count } = view;
      await recordAudit(em, actor, {
        action: 'audit.verified',
        subject: 'audit',
        after: { verification_id: id, blocks, entries, finding_count },
      });
    }
    return view;
  });
}

/** The last verification that is complete. */
export async function findLastVerification(on: Queryable): Promise<AuditVerificationView | undefined> {
  const [found] = await emOf(on).find(
    AuditVerification,
    { completedAt: { $ne: null } },
    { orderBy: { startedAt: 'desc' }, limit: 1 },
  );
  return found && viewOfVerification(found, found.examples);
}

/** The newest verification of an actor. */
export async function findNewestVerificationBy(
  on: Queryable,
  startedBy: string,
): Promise<AuditVerification | undefined> {
  const [found] = await emOf(on).find(AuditVerification, { startedBy }, { orderBy: { startedAt: 'desc' }, limit: 1 });
  return found;
}

function viewOfVerification(found: AuditVerification, findings: AuditFinding[]): AuditVerificationView {
  return {
    verification_id: found.id,
    started_by: found.startedBy,
    started_at: found.startedAt.toISOString(),
    completed_at: found.completedAt?.toISOString() ?? null,
    blocks: Number(found.blocks),
    entries: Number(found.entries),
    unsigned_blocks: Number(found.unsignedBlocks),
    finding_count: Number(found.findings),
    findings,
  };
}
