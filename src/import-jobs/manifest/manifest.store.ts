import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { Actor } from '../../platform/http/route.ts';
import type { ImportJobKind } from '../../vocabulary/import-jobs.ts';
import { sha256Of } from '../../manifest/manifest-hash.rules.ts';
import { mergeTotals } from '../../manifest/totals.rules.ts';
import type { CitedManifest } from '../../reconciliation/cited-manifests.rules.ts';
import { ImportJob, type ImportJobRecord } from '../import-job.entity.ts';
import { ImportJobTotals, type ManifestRecord, type ManifestTables } from './manifest.entity.ts';
import {
  compareJob,
  compareKinds,
  type Comparison,
  type CountedTotals,
  type Manifest,
  type ManifestKinds,
  type TotalDifference,
  unaccepted,
} from './manifest-state.rules.ts';

/** What a manifest describes: a job, or all jobs of a wave. */
export type ManifestSubject = { importJobId: string } | { waveId: string };

/** Finds the manifest of a job or a wave. */
export async function findManifest(on: Queryable, subject: ManifestSubject): Promise<ManifestRecord | undefined> {
  const [column, id] = Object.entries(subject)[0] as ['importJobId' | 'waveId', string];
  return propertiesOf<ManifestTables>(on).selectFrom('manifest').selectAll().where(column, '=', id).executeTakeFirst();
}

/**
 * Stores a manifest, or replaces one with other content. Differences that were accepted from a replaced one are no longer.
 * @param sent as it was received, which its hash covers
 * @returns the hash
 */
export async function storeManifest(
  em: EntityManager,
  subject: ManifestSubject,
  body: Manifest,
  sent: unknown,
): Promise<string> {
  const sha256 = sha256Of(sent);
  const known = await findManifest(em, subject);
  if (known?.sha256 === sha256) return sha256;
  const manifests = propertiesOf<ManifestTables>(em);
  if (known !== undefined) await manifests.deleteFrom('manifest').where('id', '=', known.id).execute();
  await manifests
    .insertInto('manifest')
    .values({ id: uuidv7(), ...subject, body: JSON.stringify(body) as never, sha256 })
    .execute();
  return sha256;
}

/** Stores that an actor accepts differences from a manifest, which it replaces. */
export async function storeAcceptance(
  em: EntityManager,
  { id }: Pick<ManifestRecord, 'id'>,
  { differences, actor, reason }: { differences: readonly TotalDifference[]; actor: Actor; reason: string },
): Promise<void> {
  await propertiesOf<ManifestTables>(em)
    .updateTable('manifest')
    .set({
      acceptedDifferences: JSON.stringify(differences) as never,
      acceptedBy: actor.keyName,
      acceptedReason: reason,
      acceptedAt: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute();
}

/** Goals whose records are not stored, so that a manifest of a wave does not count them. */
const NOT_STORED: ReadonlySet<string> = new Set(['VALIDATE', 'REHEARSE']);

/**
 * Begins to count the totals of a locked job that is started, if it or its wave has a manifest. The wave is locked against a manifest that
 * arrives meanwhile.
 */
export async function beginTotals(em: EntityManager, job: ImportJobRecord): Promise<void> {
  if (job.selection !== 'uploaded') return;
  const { id, waveId, goal } = job;
  const isCounted =
    (await findManifest(em, { importJobId: id })) !== undefined ||
    (waveId !== null && !NOT_STORED.has(goal) && (await hasWaveManifest(em, waveId)));
  if (!isCounted) return;
  await propertiesOf<ManifestTables>(em).insertInto('import_job_totals').values({ jobId: id }).execute();
  await em.nativeUpdate(ImportJob, { id }, { countsTotals: true });
}

async function hasWaveManifest(em: EntityManager, waveId: string): Promise<boolean> {
  await sql`select from wave where id = ${waveId} for share`.execute(propertiesOf(em));
  return (await findManifest(em, { waveId })) !== undefined;
}

/** Whether a job of a wave was started before the wave had a manifest, so that the totals of its records are unknown. */
export async function hasUncountedJobs(on: Queryable, waveId: string): Promise<boolean> {
  const { rows } = await sql`
    select from import_job
    where wave_id = ${waveId} and selection = 'uploaded' and goal not in ('VALIDATE', 'REHEARSE') and status <> 'OPEN' and started_at is not null
      and not counts_totals
    limit 1`.execute(propertiesOf(on));
  return rows.length > 0;
}

const totalsOf = (on: Queryable, jobId: string) =>
  propertiesOf<ManifestTables>(on).selectFrom('import_job_totals').selectAll().where('jobId', '=', jobId);

/** Locks the totals of a job until the transaction ends. */
export async function lockTotals(em: EntityManager, jobId: string): Promise<CountedTotals & { countedPage: number }> {
  return totalsOf(em, jobId).forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** Stores the totals of a job: of its accepted records, or of all records up to a page. The transaction has locked them. */
export async function storeTotals(
  em: EntityManager,
  jobId: string,
  totals: { accepted: ManifestKinds } | { received: ManifestKinds; countedPage: number; counted: number },
): Promise<void> {
  await em.nativeUpdate(ImportJobTotals, { jobId }, totals);
}

/** Reads the totals of a job so far. */
export async function findTotals(on: Queryable, jobId: string): Promise<CountedTotals & { countedPage: number }> {
  const totals = await totalsOf(on, jobId).executeTakeFirst();
  return totals ?? { countedPage: 0, counted: 0, received: null, accepted: null };
}

/** The manifest of a job, with how the records of the job compare with it. */
export type JobManifest = Comparison & { manifest: ManifestRecord };

/** Compares a job with its own manifest. @returns undefined if it has none */
export async function readJobManifest(on: Queryable, job: ImportJobRecord): Promise<JobManifest | undefined> {
  if (job.selection !== 'uploaded') return undefined;
  const manifest = await findManifest(on, { importJobId: job.id });
  if (manifest === undefined) return undefined;
  return { manifest, ...compareJob(job, manifest, await findTotals(on, job.id)) };
}

/** The totals of the records that the jobs of some waves have accepted, by id of the wave. */
async function receivedInWaves(on: Queryable, waveIds: readonly string[]): Promise<Map<string, ManifestKinds>> {
  const received = new Map<string, ManifestKinds>();
  if (waveIds.length === 0) return received;
  const { rows } = await sql<{ waveId: string; accepted: ManifestKinds | null }>`
    select j.wave_id as "waveId", t.accepted from import_job j join import_job_totals t on t.job_id = j.id
    where j.wave_id = any(${waveIds}::uuid[]) and j.goal not in ('VALIDATE', 'REHEARSE')`.execute(propertiesOf(on));
  for (const { waveId, accepted } of rows) {
    received.set(waveId, mergeTotals(received.get(waveId) ?? {}, accepted ?? {}));
  }
  return received;
}

/** A manifest of a wave, with the totals that the jobs of the wave have accepted. */
export interface WaveManifest {
  manifest: ManifestRecord;
  received: ManifestKinds;
}

/** Finds the manifests of some waves. @returns by id of the wave */
export async function findManifestsOfWaves(
  on: Queryable,
  waveIds: readonly string[],
): Promise<Map<string, WaveManifest>> {
  const manifests = await propertiesOf<ManifestTables>(on)
    .selectFrom('manifest')
    .selectAll()
    .where('waveId', 'in', waveIds)
    .execute();
  const received = await receivedInWaves(
    on,
    manifests.map(({ waveId }) => waveId!),
  );
  return new Map(
    manifests.map((manifest) => [manifest.waveId!, { manifest, received: received.get(manifest.waveId!) ?? {} }]),
  );
}

/** A manifest with the totals of accepted records that it describes; `kinds` undefined for all. */
interface DescribedRecords extends WaveManifest {
  kinds: ImportJobKind[] | undefined;
}

/** Finds the manifests of a job and its wave, or of all jobs and waves of an import supplier; the newest first. */
async function findManifestsOf(
  on: Queryable,
  of: { importJobId: string } | { importSupplier: string },
  limit: number,
): Promise<DescribedRecords[]> {
  const { rows } = await sql<{ id: string; kind: ImportJobKind | null; accepted: ManifestKinds | null }>`
    select m.id, j.kind, t.accepted
    from manifest m left join import_job j on j.id = m.import_job_id left join import_job_totals t on t.job_id = j.id left join wave w on w.id = m.wave_id
    where ${
      'importJobId' in of
        ? sql`j.id = ${of.importJobId} or coalesce(j.wave_id, w.id) = (select wave_id from import_job where id = ${of.importJobId})`
        : sql`coalesce(j.import_supplier, w.import_supplier) = ${of.importSupplier}`
    }
    order by m.id desc limit ${limit}`.execute(propertiesOf(on));
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const stored = await propertiesOf<ManifestTables>(on)
    .selectFrom('manifest')
    .selectAll()
    .where('id', 'in', ids)
    .execute();
  const manifests = new Map(stored.map((manifest) => [manifest.id, manifest]));
  const inWaves = await receivedInWaves(
    on,
    stored.flatMap(({ waveId }) => waveId ?? []),
  );
  return rows.map(({ id, kind, accepted }) => {
    const manifest = manifests.get(id)!;
    const received = (manifest.waveId === null ? accepted : inWaves.get(manifest.waveId)) ?? {};
    return { manifest, received, kinds: kind === null ? undefined : [kind] };
  });
}

/** Most manifests that a certificate of an import supplier cites, the newest first. */
const CITED_MAX = 100;

/** Compares the manifests of a job and its wave, or of an import supplier, with the accepted records, for a certificate. */
export async function citeManifests(
  em: EntityManager,
  { importSupplier, importJobId }: { importSupplier: string; importJobId?: string | null | undefined },
): Promise<CitedManifest[]> {
  const found = await findManifestsOf(em, importJobId ? { importJobId } : { importSupplier }, CITED_MAX);
  return found.map(({ manifest, kinds, received }) => {
    const differences = compareKinds(manifest.body, received, kinds);
    const open = new Set(unaccepted(differences, manifest.acceptedDifferences));
    return {
      job_id: manifest.importJobId,
      wave_id: manifest.waveId,
      sha256: manifest.sha256,
      agrees: differences.length === 0,
      differences: differences.map((difference) => ({ ...difference, is_accepted: !open.has(difference) })),
      accepted_at: manifest.acceptedAt?.toISOString() ?? null,
      accepted_reason: manifest.acceptedReason,
    };
  });
}
