import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit, type Actor } from '../../access/index.ts';
import { changeOfKeyRevoked } from '../import-job.rules.ts';
import { ImportJob } from '../import-job.entity.ts';
import { changeJob, lockJob } from '../import-job.store.ts';

/** Pauses the jobs that a key started or resumed last, in the transaction that revokes it. A worker stops before its next page. */
export async function pauseJobsOfKey(em: EntityManager, actor: Actor, keyId: string): Promise<void> {
  const started = { apiKeyId: keyId, status: { $in: ['VALIDATING', 'RUNNING', 'PAUSED'] } } as const;
  for (const { id } of await em.find(ImportJob, started, { fields: ['id'], orderBy: { id: 'asc' } })) {
    const job = await lockJob(em, id);
    const change = job?.apiKeyId === keyId ? changeOfKeyRevoked(job) : undefined;
    if (job === undefined || change === undefined) continue;
    await changeJob(em, job, change);
    await recordAudit(em, actor, {
      action: 'import_job.paused',
      subject: `import-jobs/${id}`,
      before: { status: job.status, paused_because: job.pausedBecause },
      after: { status: 'PAUSED', paused_because: 'key_revoked' },
    });
  }
}
