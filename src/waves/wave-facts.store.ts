import { sql } from 'kysely';
import { emOf, kyselyOf, propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import { findSupplierByCode } from '../suppliers/index.ts';
import type { ApprovalRecord, WaveRecord, WaveTables } from './wave.entity.ts';
import { NO_COUNTS, type WaveCertificate, type WaveCounts, type WaveFacts, type WaveJob } from './gate.rules.ts';
import { countWave } from './wave.store.ts';

/** Counts of this age are shown without counting again. */
const FRESH_MS = 1_000;
/** The end of a job is stored with the time at which its transaction began, which commits within this time. */
const COMMIT_MS = 10_000;

/** The counts of a wave: not older than a second, and not older than the end of a job, so that clients can act on that end. */
export async function freshCounts(on: Queryable, { id, counts, countedAt }: WaveRecord): Promise<WaveCounts> {
  if (counts === null || countedAt === null || Date.now() - countedAt.getTime() >= FRESH_MS) return countWave(on, id);
  const { rows } = await sql`
    select from import_job where wave_id = ${id} and ended_at > ${new Date(countedAt.getTime() - COMMIT_MS)} limit 1`.execute(
    kyselyOf<object>(on),
  );
  return rows.length === 0 ? counts : countWave(on, id);
}

/**
 * Reads what the gates of a wave are computed from.
 * @param counts exact counts where a decision depends on them; by default the stored ones
 */
export async function readFacts(on: Queryable, wave: WaveRecord, counts?: WaveCounts): Promise<WaveFacts> {
  const jobs = await findJobsOfWave(on, wave.id);
  const approval = await findApproval(on, wave.id);
  const certificate = wave.creationJobId === null ? undefined : await findCertificate(on, wave.creationJobId);
  const supplier = await findSupplierByCode(emOf(on), wave.importSupplier);
  const known = counts ?? wave.counts ?? NO_COUNTS;
  return {
    status: wave.status,
    counts: known,
    jobs,
    rehearsalJobId: wave.rehearsalJobId,
    creationJobId: wave.creationJobId,
    requiresApproval:
      wave.options.requires_approval === true || supplier?.options['creation_requires_approval'] === true,
    approval: approvalStateOf(approval, known),
    certificate,
    signedOffBy: wave.signedOffBy,
  };
}

function approvalStateOf(approval: ApprovalRecord | undefined, counts: WaveCounts): WaveFacts['approval'] {
  if (approval === undefined) return { state: 'none' };
  const { decision, requestedBy, decidedBy, members } = approval;
  if (decision === null) return { state: 'requested', by: requestedBy };
  const by = decidedBy ?? '';
  if (decision === 'declined') return { state: 'declined', by };
  return { state: counts.notApproved > 0 || counts.approved !== members ? 'expired' : 'approved', by };
}

/** The newest approval of a wave; by default of its creation. */
export async function findApproval(
  on: Queryable,
  waveId: string,
  purpose: ApprovalRecord['purpose'] = 'creation',
): Promise<ApprovalRecord | undefined> {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave_approval')
    .selectAll()
    .where('waveId', '=', waveId)
    .where('purpose', '=', purpose)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

const JOBS_SHOWN = 100;

/** The newest jobs of a wave. */
async function findJobsOfWave(on: Queryable, waveId: string): Promise<WaveJob[]> {
  const { rows } = await sql<WaveJob>`
    select id, kind, goal, name, selection, status, paused_because as "pausedBecause", accepted, succeeded, failed
    from import_job where wave_id = ${waveId} order by id desc limit ${JOBS_SHOWN}`.execute(kyselyOf<object>(on));
  return rows;
}

async function findCertificate(on: Queryable, jobId: string): Promise<WaveCertificate | undefined> {
  const { rows } = await sql<{ id: string; status: string; differences: number }>`
    select id, status, (select coalesce(sum(value::integer), 0) from jsonb_each_text(tally -> 'differences'))::integer as differences
    from reconciliation where import_job_id = ${jobId} order by id desc limit 1`.execute(kyselyOf<object>(on));
  const [found] = rows;
  return found;
}

/** What blocks records of the wave: causes of its uploads, and rejections at creation; most frequent first. */
export async function findWaveCauses(on: Queryable, waveId: string): Promise<{ code: string; records: number }[]> {
  const { rows } = await sql<{ code: string; records: number }>`
    select code, sum(records)::integer as records from (
      select c.code, c.records from import_job j join import_job_cause c on c.job_id = j.id
      where j.wave_id = ${waveId} and not c.is_warning and c.records > 0) c
    group by code order by records desc, code limit 10`.execute(kyselyOf<object>(on));
  return rows;
}
