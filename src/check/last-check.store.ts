import { findAuditEntries, recordAudit, type Actor } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { MismatchKind } from '../vocabulary/mismatches.ts';

/** Mismatches of a complete check, by kind. */
export interface CheckResult {
  found: Partial<Record<MismatchKind, number>>;
  compared: number;
}

const ACTION = 'check.completed';
const SUBJECT = 'checks';

/** Stores the result of a check in the audit, where `findLastCheck` finds it. */
export async function recordCheck(database: Database, actor: Actor, { found, compared }: CheckResult): Promise<void> {
  const after = { found, looked_at: compared };
  await recordAudit(database, actor, { action: ACTION, subject: SUBJECT, after });
}

/** The last complete check and its actor; undefined before the first check. */
export async function findLastCheck(
  database: Database,
): Promise<(CheckResult & { at: string; by: string }) | undefined> {
  const [entry] = await findAuditEntries(database.em(), { limit: 1, subject: SUBJECT, action: ACTION });
  if (entry === undefined) return undefined;
  const { found, looked_at: compared } = entry.after as { found: CheckResult['found']; looked_at: number };
  return { found, compared, at: entry.at, by: entry.actor.name };
}
