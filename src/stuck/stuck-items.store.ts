import { lookupBudget } from '../../temporal.config.ts';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { stuckIds } from './stuck-id.rules.ts';
import { unmatchedIds } from './stored-views.rules.ts';
import { isHeldSql } from '../switching/index.ts';

/**
 * Stuck work that Postgres knows, by the table that it is in. Its order is (since, id): an item that fails again has a later `since`, so a
 * cursor passes each item once.
 */
export type StuckSource = 'work' | 'messages' | 'claims' | 'deferred' | 'errored';

/** A filter of stuck work. Absent members match all. */
export interface StuckFilter {
  cause?: string | undefined;
  party?: string | undefined;
  importSupplier?: string | undefined;
  waveId?: string | undefined;
  /** Only work of these kinds. */
  kinds?: readonly string[] | undefined;
  /** Only work that is stuck since before this time (ISO 8601). */
  before?: string | undefined;
}

/** A position in a source. `since` has the microseconds of the database. */
export interface StuckItemPosition {
  since: string;
  id: string;
}

/** Stuck work. */
export interface StuckItem extends StuckItemPosition, Record<string, unknown> {
  source: StuckSource;
  kind: string;
  cause: string;
  party: string;
  importSupplier: string | null;
  externalAccountNumber: string | null;
  failure: string | null;
  input: unknown;
  runsAlone: boolean;
}

/** Causes of runs that only Temporal knows. */
const ONLY_IN_TEMPORAL: ReadonlySet<string> = new Set(['not_started', 'no_worker', 'paused', 'under_way']);

/** The source of stuck work with a cause; undefined for causes that only Temporal knows. */
export function sourceOfCause(cause: string): StuckSource | undefined {
  if (ONLY_IN_TEMPORAL.has(cause)) return undefined;
  if (cause.startsWith('market_message_')) return 'messages';
  if (cause === 'supply_point_on_another_account') return 'claims';
  return cause === 'look_ups_set_aside' ? 'deferred' : 'work';
}

/** The id of an item in the list of stuck work, by which it is retried alone; undefined for items without one. */
export function listIdOf({ source, id }: StuckItem): string | undefined {
  if (source === 'messages') return stuckIds.of(unmatchedIds.of(id));
  return source === 'work' ? stuckIds.of(id) : undefined;
}

const ofInput = `w.input ->> 'importSupplier' as supplier, w.input ->> 'externalAccountNumber' as external`;
const UNFINISHED_WORK = `case when w.kind = 'deliver-events' then 'receiver_unreachable' else 'industry_switch_' || w.state end, case when w.kind = 'deliver-events' then 'receiver' else 'industry-switch' end`;
const unmatched = (effect: string) => `
  select m.received_at, m.message_id, 'market-message', 'market_message_${effect.replace('-', '_')}', 'operator', m.import_supplier, m.external_account_number, m.effect_detail, jsonb_build_object('point', m.supply_point_identifier), false
  from market_message m where m.effect = '${effect}'`;
const COLUMNS = 'since, id, kind, cause, party, supplier, external, failure, input, runs_alone';

/** Each part of a source has the condition and the order of an index. */
const SOURCES: Record<StuckSource, string> = {
  work: `
    select w.failing_since as since, w.workflow_id as id, w.kind, w.cause, w.party, ${ofInput}, w.failure, w.input, w.runs_alone
    from work_item w where w.cause is not null
    union all
    select w.created_at, w.workflow_id, w.kind, ${UNFINISHED_WORK}, ${ofInput}, null, w.input, w.runs_alone
    from work_item w where w.cause is null and w.state in ('unreachable', 'silent')`,
  messages: ['fits-nothing', 'unknown-account', 'unknown-point'].map(unmatched).join(' union all '),
  claims: `
    select s.held_since, a.number, 'switch-supplier', 'supply_point_on_another_account', 'operator', a.import_supplier, a.external_account_number, null, null::jsonb, false
    from account_supply_point s join account a on a.id = s.account_id
    where ${isHeldSql} and (
      select true from account_supply_point e where e.account_id = s.account_id and ${isHeldSql.replaceAll('s.', 'e.')}
        and (e.held_since, e.position) < (s.held_since, s.position) limit 1) is null`,
  deferred: `
    select l.deferred_at, l.id::text, 'look-up-supply-points', 'look_ups_set_aside', l.network_operator, null, null, l.last_failure, jsonb_build_object('networkOperator', l.network_operator, 'identifier', l.identifier), false
    from look_up l where l.due_at is not null and l.tries >= ${lookupBudget.identifier.triesMax}
      and (select true from population_request r where r.look_up_id = l.id and r.state = 'deferred' limit 1)`,
  errored: `
    select l.completed_at, l.id::text, 'look-up-supply-points', l.errored_reason, l.network_operator, null, null, l.last_failure, jsonb_build_object('networkOperator', l.network_operator, 'identifier', l.identifier), false
    from look_up l where l.state = 'errored'`,
};

const IS_IN_WAVE = `
  ($4::uuid is null or coalesce((
    select true from import_process p join wave_account m on m.import_process_id = p.id
    where p.import_supplier = i.supplier and p.external_account_number = i.external and m.wave_id = $4 limit 1), false))`;
const MATCHES = `
  ($1::text is null or i.cause = $1) and ($2::text is null or i.party = $2) and ($3::text is null or i.supplier = $3)
  and ($5::text[] is null or i.kind = any($5)) and i.since < coalesce($6::timestamptz, 'infinity')`;
const from = (source: StuckSource) => `(${SOURCES[source]}) i (${COLUMNS})`;

const valuesOf = ({ cause, party, importSupplier, waveId, kinds, before }: StuckFilter): unknown[] =>
  [cause, party, importSupplier, waveId, kinds, before].map((value) => value ?? null);

const countOf = (source: StuckSource): PreparedQuery => ({
  name: `stuck-count-${source}`,
  text: `select count(*)::integer as count, min(i.since) as oldest from ${from(source)} where ${MATCHES} and ${IS_IN_WAVE}`,
});

/** Counts the matching work of a source. */
export async function countStuckItems(
  on: Queryable,
  source: StuckSource,
  filter: StuckFilter,
): Promise<{ count: number; oldest: Date | null }> {
  const [counted] = await run<{ count: number; oldest: Date | null }>(on, countOf(source), valuesOf(filter));
  return counted!;
}

const pageOf = (source: StuckSource): PreparedQuery => ({
  name: `stuck-page-${source}`,
  text: `
    select '${source}' as source, since::text, id, kind, cause, party, supplier as "importSupplier", external as "externalAccountNumber", failure, input, runs_alone as "runsAlone", is_in_wave as "isInWave", place = $9 as "isLastScanned"
    from (
      select i.*, ${IS_IN_WAVE} as is_in_wave, row_number() over (order by i.since, i.id) as place
      from (
        select * from ${from(source)}
        where ${MATCHES} and i.since >= $7::timestamptz and (i.since, i.id) > ($7::timestamptz, $8::text)
        order by i.since, i.id limit $9::bigint) i) i
    where is_in_wave or place = $9 order by since, id limit $10`,
});

interface StuckPage {
  items: StuckItem[];
  /** The last item that was scanned, if `scannedMax` ended the page. */
  scannedTo: StuckItemPosition | undefined;
}

/**
 * Lists the matching work of a source after a position, oldest first.
 * @param scannedMax most items that are scanned for a wave, of which few may be stuck; all by default
 */
export async function findStuckItems(
  on: Queryable,
  source: StuckSource,
  filter: StuckFilter,
  { after, limit, scannedMax }: { after?: StuckItemPosition | undefined; limit: number; scannedMax?: number },
): Promise<StuckPage> {
  const { since, id } = after ?? { since: '-infinity', id: '' };
  const scanned = filter.waveId === undefined ? limit : scannedMax;
  const values = [...valuesOf(filter), since, id, scanned ?? null, limit];
  const found = await run<StuckItem & { isInWave: boolean; isLastScanned: boolean | null }>(on, pageOf(source), values);
  const last = found.at(-1);
  const isCut = filter.waveId !== undefined && last?.isLastScanned === true;
  return { items: found.filter(({ isInWave }) => isInWave), scannedTo: isCut ? last : undefined };
}

/** Stuck work with the same cause, party, kind and import supplier. */
export interface StuckGroupRow extends Record<string, unknown> {
  source: StuckSource;
  cause: string;
  party: string;
  kind: string;
  importSupplier: string | null;
  count: number;
  /** Items that have been stuck for less than an hour. */
  recent: number;
  oldest: Date;
}

const LISTED: readonly StuckSource[] = ['work', 'messages', 'claims', 'deferred'];
const GROUPS: PreparedQuery = {
  name: 'stuck-groups',
  text: LISTED.map(
    (source) => `
    select '${source}' as source, i.cause, i.party, i.kind, i.supplier as "importSupplier", count(*)::integer as count,
      (count(*) filter (where i.since > now() - interval '1 hour'))::integer as recent, min(i.since) as oldest
    from ${from(source)} group by 2, 3, 4, 5`,
  ).join(' union all '),
};

/** Counts all stuck work that Postgres knows. */
export function groupStuckItems(on: Queryable): Promise<StuckGroupRow[]> {
  return run<StuckGroupRow>(on, GROUPS, []);
}
