import { repeatEvery } from '../foundation/repeat.ts';
import type { Database } from '../platform/database/database.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import type { CurrentCertificateKeys } from '../reconciliation/index.ts';
import { anchorDays, findLastAnchor } from './audit-anchor.store.ts';
import { beginVerification, continueVerification, findNewestVerificationBy } from './verify-audit.store.ts';
import { sealAudit } from './seal-audit.store.ts';

/** Pause between two blocks: the time in which a change of a new entry is not noticed. */
const SEAL_EVERY_MS = 2_000;
/** The actor of automatic verifications. */
const ACTOR = { keyName: 'audit chain' };
/** Time slice of a verification in a round of the dispatcher. */
const VERIFY_MS = 1_000;

interface ChainDeps {
  database: Database;
  keys: CurrentCertificateKeys;
  log: Log;
}

/**
 * Seals new entries every two seconds. Runs in every worker; a lock lets one of them seal.
 * @returns a function that stops it
 */
export function keepAuditSealed({ database, keys, log }: ChainDeps): () => Promise<void> {
  return repeatEvery(SEAL_EVERY_MS, async () => {
    try {
      await sealAudit(database, await keys());
    } catch (error) {
      log.warn({ fault: loggedFault(error) }, 'audit entries not sealed');
    }
  });
}

/**
 * Returns the maintenance of the chain for the dispatcher's rounds: anchor the days that ended, then verify the whole audit, a time slice in
 * each round.
 */
export function maintainAuditChain({
  database,
  keys,
  log,
  keptDays,
}: ChainDeps & { keptDays: number }): () => Promise<void> {
  return async () => {
    const current = await keys();
    await anchorDays(database, current);
    const until = performance.now() + VERIFY_MS;
    for (let id = await findDueVerification(database); id !== undefined && performance.now() < until;) {
      const verified = await continueVerification(database, { id, keys: current, keptDays, actor: ACTOR });
      if (!verified?.completed_at) continue;
      if (verified.finding_count > 0) log.error({ verification: id }, 'the audit differs from its chain');
      id = undefined;
    }
  };
}

/** The verification in progress; or a new one, if a day was anchored since the last one. */
async function findDueVerification(database: Database): Promise<string | undefined> {
  const newest = await findNewestVerificationBy(database, ACTOR.keyName);
  if (newest !== undefined && !newest.completedAt) return newest.id;
  const last = await findLastAnchor(database);
  if (last === undefined || (newest !== undefined && newest.startedAt > last.createdAt)) return undefined;
  return beginVerification(database, ACTOR);
}
