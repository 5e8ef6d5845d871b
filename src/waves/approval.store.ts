import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { kyselyOf, propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import { nameOfActor } from '../access/index.ts';
import type { Actor } from '../platform/http/route.ts';
import { findManifest } from '../import-jobs/index.ts';
import type { WaveCounts } from './gate.rules.ts';
import { plannedOf } from './wave.rules.ts';
import type { ApprovalRecord, WaveRecord, WaveTables } from './wave.entity.ts';

/**
 * SQL: the members of a wave that are not excluded, created ones included, as `p`. They are looked up one by one (`offset 0`): the planner
 * would scan the accounts of all waves instead.
 */
const includedMembers = (waveId: string) => sql`
  from wave_account m cross join lateral (select * from import_process where id = m.import_process_id offset 0) p
  where m.wave_id = ${waveId} and p.skipped_at is null
    and not exists (select from wave_exclusion e where e.wave_id = m.wave_id and e.record = p.external_account_number)`;

/** What an approval is bound to. */
export interface ApprovedContent {
  /** SHA-256 over the sorted pairs of external number and revision, the rehearsal and the manifest. */
  hash: Buffer;
  members: number;
}

/** Computes what an approval of a wave is bound to. */
export async function contentOf(
  on: Queryable,
  wave: Pick<WaveRecord, 'id' | 'rehearsalJobId'>,
): Promise<ApprovedContent> {
  const { rows } = await sql<{ members: number; pairs: string }>`
    select count(*)::integer as members,
      encode(sha256(convert_to(coalesce(string_agg(p.external_account_number || chr(9) || p.revision, chr(10) order by p.external_account_number), ''), 'UTF8')), 'hex') as pairs
    ${includedMembers(wave.id)}`.execute(kyselyOf<object>(on));
  const { members, pairs } = rows[0]!;
  const manifest = await findManifest(on, { waveId: wave.id });
  const content = [pairs, wave.rehearsalJobId ?? '', ...(manifest === undefined ? [] : [manifest.sha256])];
  return { members, hash: createHash('sha256').update(content.join('\n')).digest() };
}

/** Permanent identity of an actor: the key, or issuer and subject of a person. */
function identityOf({ keyId, subject, keyName }: Actor): string {
  return keyId === undefined ? (subject ?? keyName) : `api-keys/${keyId}`;
}

/** Whether an actor asked for an approval, and so cannot decide it. */
export function isRequester(approval: ApprovalRecord, actor: Actor): boolean {
  return approval.requestedById === identityOf(actor) || approval.requestedBy === nameOfActor(actor);
}

/** Whether an approval refers to what the wave is now: its members, and for the creation its plan. */
export function isOfPresent(approval: ApprovalRecord, wave: WaveRecord, content: ApprovedContent): boolean {
  const isOfPlan = approval.purpose === 'withdrawal' || approval.planRevision === wave.planRevision;
  return isOfPlan && approval.contentHash.equals(content.hash);
}

/** Stores a request for approval. Approvals of earlier revisions end. */
export async function insertApproval(
  em: EntityManager,
  wave: WaveRecord,
  {
    purpose,
    actor,
    reason,
    content,
  }: { purpose: ApprovalRecord['purpose']; actor: Actor; reason: string; content: ApprovedContent },
): Promise<void> {
  await propertiesOf<WaveTables>(em)
    .insertInto('wave_approval')
    .values({
      id: uuidv7(),
      waveId: wave.id,
      purpose,
      requestedBy: nameOfActor(actor),
      requestedById: identityOf(actor),
      requestReason: reason,
      contentHash: content.hash,
      members: content.members,
      rehearsalJobId: wave.rehearsalJobId,
      planned: plannedOf(wave),
      planRevision: wave.planRevision,
    })
    .execute();
}

/** Stores the decision about an approval. */
export async function decideApproval(
  em: EntityManager,
  approvalId: string,
  { actor, decision, reason }: { actor: Actor; decision: 'approved' | 'declined'; reason: string },
): Promise<void> {
  await propertiesOf<WaveTables>(em)
    .updateTable('wave_approval')
    .set({
      decidedBy: nameOfActor(actor),
      decidedById: identityOf(actor),
      decidedAt: sql<Date>`now()`,
      decision,
      decisionReason: reason,
    })
    .where('id', '=', approvalId)
    .where('decision', 'is', null)
    .execute();
}

/** Marks the present revisions of a wave as approved, or its members as not approved. */
export async function markApproved(em: EntityManager, waveId: string, isApproved: boolean): Promise<void> {
  const database = kyselyOf<object>(em);
  await sql`update wave_account set approved_revision = null where wave_id = ${waveId} and approved_revision is not null`.execute(
    database,
  );
  if (!isApproved) return;
  await sql`
    update wave_account w set approved_revision = i.revision
    from (select p.id, p.revision ${includedMembers(waveId)}) i where w.import_process_id = i.id`.execute(database);
}

/** Lists members that were staged again or added since approval was requested or given, of which `changed` were counted. */
export async function findChangedMembers(
  on: Queryable,
  { id, planRevision }: Pick<WaveRecord, 'id' | 'planRevision'>,
  approval: ApprovalRecord,
  { changed }: Pick<WaveCounts, 'changed'>,
  limit: number,
): Promise<{ count: number; accounts: string[] }> {
  if (changed === 0) return { count: 0, accounts: [] };
  // A change of the plan has removed the approved revisions.
  const isChanged =
    approval.decision === 'approved' && approval.planRevision === planRevision
      ? sql`m.approved_revision is distinct from p.revision`
      : sql`greatest(p.updated_at, m.added_at) > ${approval.requestedAt}`;
  const { rows } = await sql<{ external: string }>`
    select p.external_account_number as external ${includedMembers(id)}
      and p.imported_at is null and ${isChanged} order by 1 limit ${limit}`.execute(kyselyOf<object>(on));
  return { count: changed, accounts: rows.map(({ external }) => external) };
}
