import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { workflowIds } from '../../temporal.config.ts';
import { writeEvents } from '../events/index.ts';
import { kyselyOf, propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Viewer } from '../platform/http/route.ts';
import { completeWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { ENDED_WAVES, type WaveStatus, waveStatuses } from '../vocabulary/waves.ts';
import type { WaveCounts } from './gate.rules.ts';
import { hasWaveEnded } from './wave.rules.ts';
import type { WaveRecord, WaveTables } from './wave.entity.ts';
import { isEarly, planOf } from './early-starts.store.ts';
import { findUnfinishedOf, type UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { membersOf } from '../vocabulary/value-sets.ts';

/** The import suppliers whose waves the caller may see; undefined for operators and the service itself, which see all waves. */
export type WaveViewer = Viewer;

/** Selects the waves that a viewer may see. */
function wavesOf(on: Queryable, viewer: WaveViewer | undefined) {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave as w')
    .selectAll('w')
    .$if(viewer !== undefined, (waves) =>
      waves.where('w.importSupplier', '=', (of) => of.fn.any(of.val([...viewer!.importSuppliers]))),
    )
    .$if(viewer?.organisation !== undefined, (waves) => waves.where('w.organisation', '=', viewer!.organisation!));
}

/** Finds a wave, if the viewer may see it. */
async function findWave(on: Queryable, waveId: string, viewer?: WaveViewer): Promise<WaveRecord | undefined> {
  return wavesOf(on, viewer).where('w.id', '=', waveId).executeTakeFirst();
}

/** Finds a wave and locks its row until the transaction ends. Required before a change of its status or members. */
export async function lockWave(
  em: EntityManager,
  waveId: string,
  viewer?: WaveViewer,
): Promise<WaveRecord | undefined> {
  return wavesOf(em, viewer).where('w.id', '=', waveId).forNoKeyUpdate().executeTakeFirst();
}

/** Finds the wave in the path (`:wave`), if the caller may see it. @param viewer undefined on operator paths */
export async function findWaveOfRequest(
  on: Queryable,
  { params }: Pick<AuthenticatedRequest, 'params'>,
  viewer: WaveViewer | undefined,
): Promise<WaveRecord | Refused> {
  const id = params['wave'] ?? '';
  const wave = isUuid(id) ? await findWave(on, id, viewer) : undefined;
  return wave ?? refuse('wave_not_found');
}

/** Lists the newest waves; with `before`, the newest waves older than that wave. */
export async function findNewestWaves(
  on: Queryable,
  wanted: {
    before?: string | undefined;
    importSupplier?: string | undefined;
    name?: string | undefined;
    status?: WaveStatus | undefined;
    limit: number;
  },
  viewer?: WaveViewer,
): Promise<WaveRecord[]> {
  const { before, importSupplier, name, status, limit } = wanted;
  return wavesOf(on, viewer)
    .$if(before !== undefined, (waves) => waves.where('w.id', '<', before!))
    .$if(importSupplier !== undefined, (waves) => waves.where('w.importSupplier', '=', importSupplier!))
    .$if(name !== undefined, (waves) => waves.where('w.name', '=', name!))
    .$if(status !== undefined, (waves) => waves.where('w.status', '=', status!))
    .orderBy('w.id', 'desc')
    .limit(limit)
    .execute();
}

/** The statuses of waves whose accounts are being created, and of withdrawals. */
const AT_WORK = sql.raw<boolean>("status in ('SCHEDULED', 'CREATING', 'PAUSED', 'WITHDRAWING')");

/** Lists waves that have not ended, those at work first, or waves that have ended; newest first. */
export async function findWavesByEnd(
  on: Queryable,
  wanted: { hasEnded: boolean; importSupplier?: string | undefined; before?: string | undefined; limit: number },
  viewer?: WaveViewer,
): Promise<WaveRecord[]> {
  const { hasEnded, importSupplier, before, limit } = wanted;
  const waves = wavesOf(on, viewer)
    .where('w.status', hasEnded ? 'in' : 'not in', ENDED_WAVES)
    .$if(importSupplier !== undefined, (of) => of.where('w.importSupplier', '=', importSupplier!))
    .$if(before !== undefined, (of) => of.where('w.id', '<', before!));
  return (hasEnded ? waves : waves.orderBy(AT_WORK, 'desc')).orderBy('w.id', 'desc').limit(limit).execute();
}

/** The work item of a wave, which exists until the wave has ended. */
export function waveWorkItem({ id, importSupplier }: Pick<WaveRecord, 'id' | 'importSupplier'>): WorkItem {
  return { workflowId: workflowIds.wave(id), kind: 'wave', input: { waveId: id, importSupplier } };
}

/** The members that a change of a wave writes. */
export type WaveChange = Partial<
  Pick<
    WaveRecord,
    | 'status'
    | 'pausedBecause'
    | 'creationJobId'
    | 'rehearsalJobId'
    | 'creationRequestedAt'
    | 'createFrom'
    | 'createUntil'
    | 'supplyStartFrom'
    | 'supplyStartTo'
    | 'expectedAccounts'
    | 'options'
    | 'planRevision'
    | 'signedOffBy'
    | 'signOffReason'
  >
>;

/**
 * Changes a wave that the transaction has locked (`lockWave`). A change of status writes the event; if the wave ends, its work item is
 * completed.
 */
export async function changeWave(em: EntityManager, wave: WaveRecord, change: WaveChange): Promise<WaveRecord> {
  const changed = { ...wave, ...change };
  const hasEnded = hasWaveEnded(changed.status);
  await propertiesOf<WaveTables>(em)
    .updateTable('wave')
    .set({ ...change, ...(hasEnded && { endedAt: sql<Date>`coalesce(ended_at, now())` }) })
    .where('id', '=', wave.id)
    .execute();
  if (changed.status === wave.status && changed.pausedBecause === wave.pausedBecause) return changed;
  if (hasEnded) await completeWork(em, [workflowIds.wave(wave.id)]);
  const { id, importSupplier, organisation, status, pausedBecause } = changed;
  await writeEvents(em, [
    {
      importSupplier,
      organisation,
      type: `import.wave.${status.toLowerCase() as Lowercase<typeof status>}.v1`,
      subject: `waves/${id}`,
      data: { wave_id: id, ...(pausedBecause === null ? {} : { paused_because: pausedBecause }) },
    },
  ]);
  return changed;
}

interface CountedRow {
  accounts: number;
  pending: number;
  created: number;
  rejected: number;
  skipped: number;
  quarantined: number;
  not_rehearsed: number;
  not_approved: number;
  approved: number;
  changed: number;
  switch_pending: number;
  switch_in_progress: number;
  switch_rejected: number;
  switch_completed: number;
  requests_from: string | null;
  starts_before: number;
  starts_within_lead_time: number;
  earliest_start: string | null;
  early_examples: string[] | null;
}

interface OtherCounts {
  excluded: number;
  excluded_others: number;
  invalid_lines: number;
  failed_attachments: number;
  failed_rehearsal: number;
}

function countsOf(counted: CountedRow, others: OtherCounts): WaveCounts {
  return {
    accounts: counted.accounts,
    excluded: others.excluded,
    excludedOthers: others.excluded_others,
    pending: counted.pending,
    created: counted.created,
    rejected: counted.rejected,
    skipped: counted.skipped,
    quarantined: counted.quarantined,
    invalidLines: others.invalid_lines,
    failedAttachments: others.failed_attachments,
    notRehearsed: counted.not_rehearsed,
    failedRehearsal: others.failed_rehearsal,
    notApproved: counted.not_approved,
    approved: counted.approved,
    changed: counted.changed,
    switches: {
      pending: counted.switch_pending,
      inProgress: counted.switch_in_progress,
      rejected: counted.switch_rejected,
      completed: counted.switch_completed,
    },
    supplyStarts: {
      requestsFrom: counted.requests_from,
      before: counted.starts_before,
      withinLeadTime: counted.starts_within_lead_time,
      earliest: counted.earliest_start,
      examples: counted.early_examples ?? [],
    },
  };
}

/**
 * Counts the members of a wave, and stores the counts with the wave. Accounts are looked up one by one (`offset 0`): the planner would scan
 * the accounts of all waves instead.
 * @returns the counts
 */
export async function countWave(on: Queryable, waveId: string): Promise<WaveCounts> {
  const database = kyselyOf<object>(on);
  const { rows } = await sql<CountedRow>`
    select count(*)::integer as accounts,
      count(*) filter (where is_pending)::integer as pending,
      count(*) filter (where is_created)::integer as created,
      count(*) filter (where is_open and is_rejected)::integer as rejected,
      count(*) filter (where is_open and is_skipped)::integer as skipped,
      count(*) filter (where is_open and is_quarantined)::integer as quarantined,
      count(*) filter (where is_pending and is_changed_since_rehearsal)::integer as not_rehearsed,
      count(*) filter (where is_pending and not is_approved)::integer as not_approved,
      count(*) filter (where not is_excluded and is_approved)::integer as approved,
      count(*) filter (where is_open and not is_skipped and is_changed_since_request)::integer as changed,
      count(*) filter (where switch_status = 'PENDING')::integer as switch_pending,
      count(*) filter (where switch_status = 'IN_PROGRESS')::integer as switch_in_progress,
      count(*) filter (where switch_status = 'REJECTED')::integer as switch_rejected,
      count(*) filter (where switch_status = 'COMPLETED')::integer as switch_completed,
      to_char(min(requests_from), 'YYYY-MM-DD') as requests_from,
      count(*) filter (where is_early and first_supply_start < requests_from)::integer as starts_before,
      count(*) filter (where is_early and first_supply_start >= requests_from)::integer as starts_within_lead_time,
      to_char(min(first_supply_start) filter (where is_early), 'YYYY-MM-DD') as earliest_start,
      (array_agg(external order by first_supply_start, external) filter (where is_early))[1:3] as early_examples
    from (
      select p.external_account_number as external, m.first_supply_start, w.requests_from,
        ${isEarly} as is_early, p.imported_at is not null as is_created, e.record is not null as is_excluded, a.switch_status,
        p.imported_at is null and e.record is null as is_open,
        p.imported_at is null and e.record is null and p.skipped_at is null and p.refusal is null and p.workflow_id is null as is_pending,
        p.skipped_at is not null as is_skipped, p.refusal is not null as is_rejected, p.workflow_id is not null as is_quarantined,
        m.rehearsed_revision is distinct from p.revision as is_changed_since_rehearsal,
        m.approved_revision is not distinct from p.revision as is_approved,
        case when r.decision = 'declined' then false
          when r.decision = 'approved' and r.is_of_present_plan then m.approved_revision is distinct from p.revision
          else greatest(p.updated_at, m.added_at) > r.requested_at end as is_changed_since_request
      from wave_account m cross join ${planOf(waveId)} w
        left join lateral (
          select a.decision, a.requested_at, a.plan_revision = w.plan_revision as is_of_present_plan
          from wave_approval a where a.wave_id = ${waveId} and a.purpose = 'creation' order by a.id desc limit 1) r on true
        cross join lateral (select * from import_process p where p.id = m.import_process_id offset 0) p
        left join wave_exclusion e on e.wave_id = m.wave_id and e.record = p.external_account_number
        left join lateral (
          select a.switch_status from account a where p.imported_at is not null and a.import_process_id = m.import_process_id
            and (a.switch_status <> 'PENDING' or exists (select from account_supply_point s where s.account_id = a.id)) offset 0) a on true
      where m.wave_id = ${waveId}) m`.execute(database);
  const {
    rows: [others],
  } = await sql<OtherCounts>`
    select (select count(*)::integer from wave_exclusion where wave_id = ${waveId}) as excluded,
      (select count(*)::integer from wave_exclusion e where e.wave_id = ${waveId} and not exists (
        select from wave w join import_process p on p.import_supplier = w.import_supplier and p.external_account_number = e.record
          join wave_account m on m.import_process_id = p.id and m.wave_id = w.id
        where w.id = e.wave_id offset 0)) as excluded_others,
      (select count(*)::integer from (${invalidLines(waveId)}) l) as invalid_lines,
      (select count(*)::integer from (${failedAttachments(waveId)}) l) as failed_attachments,
      (select count(*)::integer from (${failedRehearsals(waveId)}) l) as failed_rehearsal`.execute(database);
  const counts = countsOf(rows[0]!, others!);
  await sql`update wave set counts = ${JSON.stringify(counts)}::jsonb, counted_at = clock_timestamp() where id = ${waveId}`.execute(
    database,
  );
  return counts;
}

/** SQL: the record by which an exclusion names a line. */
const LINE_RECORD = sql`'import-jobs/' || l.job_id || '/lines/' || l.line`;

/**
 * SQL: the failed lines of jobs `j`, as `l`. `offset 0` here and below makes the planner look up the lines of each job, and the account of
 * each line, instead of scanning those of all waves.
 */
const FAILED_LINES = sql`cross join lateral (
    select job_id, line, key from import_job_line where job_id = j.id and state = 'failed' offset 0) l`;

/** SQL: whether a later job of the wave has imported the record of a line; of accounts, the membership shows it. */
const isCorrected = sql`exists (
  select from import_job later join import_job_line c on c.job_id = later.id
  where later.wave_id = j.wave_id and later.kind = j.kind and later.goal = j.goal and later.id > j.id
    and c.key = l.key and not c.claims_key and c.state = 'succeeded' offset 0)`;

/**
 * SQL: the failed lines of the wave's uploads that are neither excluded nor corrected, with the record that an exclusion names. A line is
 * corrected once its account is a member of the wave, or a later job has imported its record.
 */
export const invalidLines = (waveId: string) => sql<{ record: string }>`
  select coalesce(l.key, ${LINE_RECORD}) as record
  from import_job j ${FAILED_LINES}
  where j.wave_id = ${waveId} and j.selection = 'uploaded' and j.failed > 0
    and j.kind in ('accounts', 'businesses', 'business-contracts') and j.goal in ('STAGE', 'CREATE', 'IMPORT')
    and not exists (
      select from wave_exclusion e where e.wave_id = j.wave_id and e.record = coalesce(l.key, ${LINE_RECORD}))
    and not exists (
      select from import_process p join wave_account m on m.import_process_id = p.id
      where p.import_supplier = j.import_supplier and p.external_account_number = l.key and m.wave_id = j.wave_id offset 0)
    and not ${isCorrected}`;

/**
 * SQL: the failed lines of the wave's attachments that are neither excluded, by the account or the line, nor corrected by a later job. An
 * exclusion names the line, because its account is created.
 */
export const failedAttachments = (waveId: string) => sql<{ record: string }>`
  select ${LINE_RECORD} as record
  from import_job j ${FAILED_LINES}
  where j.wave_id = ${waveId} and j.failed > 0 and j.goal = 'IMPORT' and j.status <> 'CANCELLED'
    and j.kind in ('notes', 'transactions', 'statements', 'payment-instructions')
    and not exists (
      select from wave_exclusion e where e.wave_id = j.wave_id and (e.record = l.key or e.record = ${LINE_RECORD}))
    and not ${isCorrected}`;

/** SQL: the pending members that failed the last rehearsal in their present revision. */
export const failedRehearsals = (waveId: string) => sql<{ record: string }>`
  select p.external_account_number as record
  from wave w join import_job j on j.id = w.rehearsal_job_id and j.failed > 0 ${FAILED_LINES}
    cross join lateral (
      select * from import_process where import_supplier = j.import_supplier and external_account_number = l.key offset 0) p
    join wave_account m on m.import_process_id = p.id and m.wave_id = w.id
  where w.id = ${waveId} and p.imported_at is null and p.skipped_at is null and p.refusal is null and p.workflow_id is null
    and p.updated_at < j.created_at and m.rehearsed_revision is distinct from p.revision
    and not exists (select from wave_exclusion e where e.wave_id = w.id and e.record = l.key)`;

/** Lists waves that have not ended, after the id `after`, with whether they have work. */
export function findUnfinishedWaves(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const statuses = membersOf(waveStatuses).filter((status) => !hasWaveEnded(status));
  const open = { table: 'wave', since: 'created_at', statuses, workflowIdPrefix: workflowIds.wave('') } as const;
  return findUnfinishedOf(on, { ...open, workOf: waveWorkItem }, after, limit);
}

/** Lists paused waves, and waves whose approval was requested and is not decided, with the time of the request. */
export function findWaitingWaves(on: Queryable) {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave as w')
    .leftJoin('wave_approval as a', (join) => join.onRef('a.waveId', '=', 'w.id').on('a.decision', 'is', null))
    .select(['w.id', 'w.name'])
    .select(({ fn }) => [
      sql<boolean>`w.status = 'PAUSED'`.as('isPaused'),
      fn.max('a.requestedAt').$castTo<Date | null>().as('since'),
    ])
    .where('w.status', 'not in', ENDED_WAVES)
    .where((is) => is.or([is('w.status', '=', 'PAUSED'), is('a.id', 'is not', null)]))
    .groupBy('w.id')
    .execute();
}

/** Counts the waves that have not ended, by status, and those whose plan has ended although not all their accounts are created. */
export async function countWaves(on: Queryable): Promise<{ status: string; waves: number; pastPlan: number }[]> {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave')
    .select(['status', sql<number>`count(*)::integer`.as('waves')])
    .select(
      sql<number>`count(*) filter (where create_until < now() and status in ('PREPARING', 'SCHEDULED', 'CREATING', 'PAUSED'))::integer`.as(
        'pastPlan',
      ),
    )
    .where('status', 'not in', ENDED_WAVES)
    .groupBy('status')
    .execute();
}
