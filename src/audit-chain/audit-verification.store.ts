import { LockMode } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { nameOfActor, recordAudit, type Actor } from '../access/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { emOf, type Queryable } from '../platform/database/prepared-query.ts';
import { AuditVerification } from './audit-chain.entity.ts';
import type { AuditFinding, AuditVerificationView } from './audit-chain.schema.ts';
import { verifyStep, type VerificationDeps } from './verify-audit.store.ts';

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
