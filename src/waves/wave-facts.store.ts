import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import { emOf, kyselyOf, propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import { findSupplierByCode } from '../suppliers/index.ts';
import type { ApprovalRecord, WaveRecord, WaveTables } from './wave.entity.ts';
import { findManifestsOfWaves, type WaveManifest } from '../import-jobs/index.ts';
import { compareWave, type WaveComparison } from '../import-jobs/manifest/manifest-state.rules.ts';
import {
  arrivedIn,
  NO_COUNTS,
  type WaveCertificate,
  type WaveCounts,
  type WaveFacts,
  type WaveJob,
} from './gate.rules.ts';
import type { ImportJobGoal, ImportJobKind } from '../vocabulary/import-jobs.ts';
import { countWave } from './wave.store.ts';

/** Age of counts that are shown without counting again: counting 20,000 members takes a tenth of a second, so they are counted every five. */
const FRESH_MS = 1_000;
const FRESH_MS_PER_ACCOUNT = 0.2;
/** The end of a job is stored with the time at which its transaction began, which commits within this time. */
const COMMIT_MS = 10_000;

/** The counts of a wave: not older than some seconds, and not older than the end of a job, so that clients can act on that end. */
export async function freshCounts(on: Queryable, { id, counts, countedAt }: WaveRecord): Promise<WaveCounts> {
  if (counts === null || countedAt === null) return countWave(on, id);
  const freshMs = FRESH_MS + counts.accounts * FRESH_MS_PER_ACCOUNT;
  if (Date.now() - countedAt.getTime() >= freshMs) return countWave(on, id);
  const { rows } = await sql`
    select from import_job where wave_id = ${id} and ended_at > ${new Date(countedAt.getTime() - COMMIT_MS)} limit 1`.execute(
    kyselyOf<object>(on),
  );
  return rows.length === 0 ? counts : countWave(on, id);
}

/** The counts of a wave for a decision. */
export const exactCounts = (on: Queryable, { id }: Pick<WaveRecord, 'id'>): Promise<WaveCounts> => countWave(on, id);

/** Members of the largest wave that is counted while a person waits for its page. */
const COUNTED_AT_ONCE_MAX = 2_000;
const counting = new Set<string>();

/**
 * The counts of a wave for a page that refreshes: those of a large wave are the stored ones, not older than a minute, and are counted again
 * meanwhile.
 */
export async function countsForPage(database: Database, wave: WaveRecord): Promise<WaveCounts> {
  const { id, counts } = wave;
  if (counts === null || counts.accounts <= COUNTED_AT_ONCE_MAX) return freshCounts(database, wave);
  if (!counting.has(id)) {
    counting.add(id);
    void freshCounts(database, wave)
      // The next update of the page tries again.
      .catch(() => undefined)
      .finally(() => counting.delete(id));
  }
  return counts;
}

/** What the gates of a wave are computed from, with the request for approval and the manifest that they refer to. */
type FactsOfWave = WaveFacts & {
  newestApproval: ApprovalRecord | undefined;
  comparedManifest: (WaveComparison & { manifest: WaveManifest['manifest'] }) | undefined;
};

/**
 * Reads what the gates of a wave are computed from.
 * @param count counts the wave; called after its jobs are read, because a job that has ended must not be shown with counts from before its end
 */
export async function readFacts(
  on: Queryable,
  wave: WaveRecord,
  count: (on: Queryable, wave: WaveRecord) => Promise<WaveCounts>,
): Promise<FactsOfWave> {
  const jobs = await findJobsOfWaves(on, [wave.id]);
  const counts = await count(on, wave);
  return (await factsOf(on, [{ ...wave, counts }], jobs)).get(wave.id)!;
}

/** Reads what the gates of several waves are computed from, with their stored counts. @returns facts by id of the wave */
export async function readFactsOf(on: Queryable, waves: readonly WaveRecord[]): Promise<Map<string, FactsOfWave>> {
  if (waves.length === 0) return new Map();
  const ids = waves.map(({ id }) => id);
  return factsOf(on, waves, await findJobsOfWaves(on, ids));
}

async function factsOf(
  on: Queryable,
  waves: readonly WaveRecord[],
  jobsOfWaves: readonly (WaveJob & { waveId: string })[],
): Promise<Map<string, FactsOfWave>> {
  const ids = waves.map(({ id }) => id);
  const jobs = Map.groupBy(jobsOfWaves, ({ waveId }) => waveId);
  const approvals = new Map((await findApprovals(on, ids)).map((approval) => [approval.waveId, approval]));
  const certificates = Map.groupBy(await findCertificates(on, ids), ({ waveId }) => waveId);
  const manifests = await findManifestsOfWaves(on, ids);
  const requiring = await findSuppliersRequiringApproval(on, waves);
  const factsOfOne = (wave: WaveRecord): FactsOfWave => {
    const counts = wave.counts ?? NO_COUNTS;
    const comparedManifest = compared(manifests.get(wave.id), { jobs: jobs.get(wave.id) ?? [], counts });
    return {
      status: wave.status,
      counts,
      jobs: jobs.get(wave.id) ?? [],
      rehearsalJobId: wave.rehearsalJobId,
      creationJobId: wave.creationJobId,
      requiresApproval: wave.options.requires_approval === true || requiring.has(wave.importSupplier),
      approval: approvalStateOf(approvals.get(wave.id), wave, counts),
      expectedAccounts: wave.expectedAccounts,
      newestApproval: approvals.get(wave.id),
      certificates: certificates.get(wave.id) ?? [],
      manifest: comparedManifest,
      comparedManifest,
      signedOffBy: wave.signedOffBy,
    };
  };
  return new Map(waves.map((wave) => [wave.id, factsOfOne(wave)]));
}

function compared(found: WaveManifest | undefined, facts: Pick<WaveFacts, 'jobs' | 'counts'>) {
  if (found === undefined) return undefined;
  const { manifest, received } = found;
  return { manifest, ...compareWave(manifest, received, arrivedIn(facts)) };
}

/** The suppliers of waves that create accounts only in approved waves. */
async function findSuppliersRequiringApproval(on: Queryable, waves: readonly WaveRecord[]): Promise<Set<string>> {
  const requiring = new Set<string>();
  for (const code of new Set(waves.map(({ importSupplier }) => importSupplier))) {
    const supplier = await findSupplierByCode(emOf(on), code);
    if (supplier?.options['creation_requires_approval'] === true) requiring.add(code);
  }
  return requiring;
}

function approvalStateOf(
  approval: ApprovalRecord | undefined,
  { planRevision }: Pick<WaveRecord, 'planRevision'>,
  counts: WaveCounts,
): WaveFacts['approval'] {
  if (approval === undefined) return { state: 'none' };
  const { decision, requestedBy, decidedBy, members } = approval;
  const isPlanChanged = approval.planRevision !== planRevision;
  if (decision === null) return { state: 'requested', by: requestedBy, isPlanChanged };
  const by = decidedBy ?? '';
  if (decision === 'declined') return { state: 'declined', by };
  const hasExpired = isPlanChanged || counts.notApproved > 0 || counts.approved !== members;
  return { state: hasExpired ? 'expired' : 'approved', by, isPlanChanged };
}

/** The newest approval of a wave; by default of its creation. */
export async function findApproval(
  on: Queryable,
  waveId: string,
  purpose?: ApprovalRecord['purpose'],
): Promise<ApprovalRecord | undefined> {
  return (await findApprovals(on, [waveId], purpose))[0];
}

/** The newest approval of each of some waves. */
function findApprovals(
  on: Queryable,
  waveIds: readonly string[],
  purpose: ApprovalRecord['purpose'] = 'creation',
): Promise<ApprovalRecord[]> {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave_approval')
    .selectAll()
    .distinctOn('waveId')
    .where('waveId', 'in', waveIds)
    .where('purpose', '=', purpose)
    .orderBy('waveId')
    .orderBy('id', 'desc')
    .execute();
}

const JOBS_SHOWN = 100;

/** The newest jobs of each of some waves. */
async function findJobsOfWaves(on: Queryable, waveIds: readonly string[]): Promise<(WaveJob & { waveId: string })[]> {
  const { rows } = await sql<WaveJob & { waveId: string }>`
    select w.id as "waveId", j.* from unnest(${waveIds}::uuid[]) as w (id) cross join lateral (
      select id, kind, goal, name, selection, status, paused_because as "pausedBecause", accepted, succeeded, failed,
        started_at as "startedAt", ended_at as "endedAt"
      from import_job where wave_id = w.id order by id desc limit ${JOBS_SHOWN}) j`.execute(kyselyOf<object>(on));
  return rows;
}

/** The newest comparison of each job that created accounts of some waves; the newest job first. */
async function findCertificates(
  on: Queryable,
  waveIds: readonly string[],
): Promise<(WaveCertificate & { waveId: string })[]> {
  const { rows } = await sql<WaveCertificate & { waveId: string }>`
    select j.wave_id as "waveId", j.id as "jobId", r.id, r.status, r.organisation, coalesce(r.differences, 0)::integer as differences
    from import_job j left join lateral (
      select id, status, organisation, (select sum(value::integer) from jsonb_each_text(tally -> 'differences')) as differences
      from reconciliation where import_job_id = j.id order by id desc limit 1) r on true
    where j.wave_id = any(${waveIds}::uuid[]) and j.goal = 'CREATE' and j.succeeded > 0 order by j.id desc`.execute(
    kyselyOf<object>(on),
  );
  return rows;
}

/** A cause that blocks records of a wave, in one of its jobs. */
export interface WaveCause {
  jobId: string;
  kind: ImportJobKind;
  goal: ImportJobGoal;
  code: string;
  place: string;
  records: number;
}

const CAUSES_SHOWN = 15;

/** SQL: causes of the wave's uploads, and of its last rehearsal and creation, as `c`, with their jobs as `j`. */
const blockingCauses = (waveId: string) => sql`
  from wave w join import_job j on j.wave_id = w.id join import_job_cause c on c.job_id = j.id
  where w.id = ${waveId} and not c.is_warning and c.records > 0
    and (j.selection <> 'wave' or j.id in (w.rehearsal_job_id, w.creation_job_id))`;

/** What blocks records of a wave, by job and place: causes of its uploads, and of its last rehearsal and creation; most frequent first. */
export async function findWaveCausesByJob(on: Queryable, { id }: Pick<WaveRecord, 'id'>): Promise<WaveCause[]> {
  const { rows } = await sql<WaveCause>`
    select c.job_id as "jobId", j.kind, j.goal, c.code, c.place, c.records
    ${blockingCauses(id)}
    order by c.records desc, c.job_id, c.code, c.place limit ${CAUSES_SHOWN}`.execute(kyselyOf<object>(on));
  return rows;
}

/** What blocks records of the wave: causes of its uploads, and rejections at creation; most frequent first. */
export async function findWaveCauses(on: Queryable, waveId: string): Promise<{ code: string; records: number }[]> {
  const { rows } = await sql<{ code: string; records: number }>`
    select code, sum(records)::integer as records from (
      select c.code, c.records ${blockingCauses(waveId)}) c
    group by code order by records desc, code limit 10`.execute(kyselyOf<object>(on));
  return rows;
}
