import type { EntityManager } from '@mikro-orm/postgresql';
import { addBalances } from './balances.store.ts';
import { countInForce } from './queried-instructions.rules.ts';
import type { Form } from './compare/accepted-items.rules.ts';
import { ACCOUNT_MISSING, type ComparedAccount } from './compare/compare-account.rules.ts';
import { compareAccounts } from './compare/compare-accounts.store.ts';
import { type HashedLines, moneyIn, textsToHash } from './compare/hashed-lines.rules.ts';
import { accountForm, transactionForm } from './compare/accepted-forms.schema.ts';
import { type SubjectDifference, listDifferences } from './difference.store.ts';
import { countInstructionsInForce, pointPathSql } from './instructions-in-force.store.ts';
import {
  type ReconciledKey,
  type ReconciliationRecord,
  findKeys,
  findReconciliation,
  lockReconciliation,
} from './reconciliation.store.ts';
import { type HashSum, type Tally, addDecimal, hashSum, type Parties } from './tally.rules.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';

/** The result of a page. */
interface ReconciledPage {
  /** Number of keys in the page; 0 once all are compared. */
  keys: number;
  record: ReconciliationRecord;
}

/**
 * Compares the next page and stores the result in one transaction, so that a page that two workers compare is counted once.
 * @param em of a new transaction
 * @param size most accounts
 * @param hashKey the setting FIELD_HASH_KEY
 * @returns `locked` while another worker compares a page; undefined if the reconciliation does not exist or has ended
 */
export async function reconcilePage(
  em: EntityManager,
  id: string,
  size: number,
  hashKey?: Buffer,
): Promise<ReconciledPage | 'locked' | undefined> {
  await em.execute('set transaction isolation level repeatable read');
  const record = await lockReconciliation(em, id);
  if (record === undefined) {
    const running = await findReconciliation(em, id);
    return running?.status === 'RUNNING' ? 'locked' : undefined;
  }
  if (record.status !== 'RUNNING') return undefined;
  if (record.tally.compared_at !== undefined) return { keys: 0, record };
  const found = await findKeys(em, record, record.subject, [['>', record.position]], size);
  const keys = found.flatMap(({ key }) => key ?? []);
  if (record.subject === 'business') record.tally.businesses += keys.length;
  const differences =
    record.subject === 'account'
      ? await reconcileAccounts(em, record, found, hashKey)
      : await compareBusinesses(em, record.importSupplier, keys);
  count(record.tally, differences);
  await listDifferences(em, record, differences);
  record.position = found.at(-1)?.position ?? record.position;
  const isSubjectOver = found.length === 0;
  const areBusinessesNext = isSubjectOver && record.subject === 'account' && record.importJobId === null;
  if (areBusinessesNext) Object.assign(record, { subject: 'business', position: '' });
  else if (isSubjectOver) record.tally.compared_at = new Date().toISOString();
  return { keys: areBusinessesNext ? 1 : found.length, record };
}

async function reconcileAccounts(
  em: EntityManager,
  { importSupplier, organisation, tally }: ReconciliationRecord,
  page: readonly ReconciledKey[],
  hashKey: Buffer | undefined,
): Promise<SubjectDifference[]> {
  const keys = page.flatMap(({ key }) => key ?? []);
  const differences: SubjectDifference[] = [];
  const hashes: Hashes = new Map();
  const accountIds: string[] = [];
  const missing = new Set(page.flatMap(({ key, isCreated }) => (isCreated ? key! : [])));
  for await (const account of compareAccounts(em, importSupplier, keys, hashKey)) {
    tally.accounts += 1;
    missing.delete(account.external);
    if (account.by === 'nothing') tally.without_copy += 1;
    if (account.by === 'hashes') tally.by_hashes += 1;
    if (account.accountId !== null) accountIds.push(account.accountId);
    addCompared(tally, hashes, accountForm, account.external, account.account);
    if (account.transactions) addCompared(tally, hashes, transactionForm, account.external, account.transactions);
    for (const difference of [...account.account.differences, ...(account.transactions?.differences ?? [])]) {
      differences.push({ subject: 'account', key: account.external, ...difference });
    }
  }
  for (const [path, [was, is]] of hashes) tally.hashes[path] = [was.toString(), is.toString()];
  tally.accounts += missing.size;
  tally.withdrawn += page.filter(({ isWithdrawn }) => isWithdrawn).length;
  for (const key of missing) differences.push({ subject: 'account', key, ...ACCOUNT_MISSING });
  await addBalances(em, accountIds, tally);
  countInForce(tally, await countInstructionsInForce(em, accountIds), organisation === null);
  differences.push(...(await addPointsOf(em, accountIds, tally.parties)));
  return differences;
}

/** The sums of hashes of the accepted and the stored values, by path. */
type Hashes = Map<string, [accepted: HashSum, stored: HashSum]>;

function addCompared(tally: Tally, hashes: Hashes, form: Form, external: string, compared: ComparedAccount): void {
  tally.values += compared.values;
  const { accepted, stored } = compared.lines;
  const add = (lines: HashedLines, side: 0 | 1) =>
    textsToHash(form, external, lines, (path, text) => sumsOf(tally, hashes, path)[side].addHashOf(text));
  add(accepted, 0);
  add(stored, 1);
  addMoney(tally, form, accepted, 0);
  addMoney(tally, form, stored, 1);
}

function sumsOf({ hashes: stored }: Tally, hashes: Hashes, path: string): [accepted: HashSum, stored: HashSum] {
  const known = hashes.get(path);
  if (known !== undefined) return known;
  const [was, is] = stored[path] ?? [];
  const sums: [HashSum, HashSum] = [hashSum(was), hashSum(is)];
  hashes.set(path, sums);
  return sums;
}

function addMoney({ sums }: Tally, form: Form, lines: HashedLines, side: 0 | 1): void {
  for (const [name, values] of moneyIn(form, lines)) {
    const pair = (sums[name] ??= ['0', '0']);
    pair[side] = values.reduce(addDecimal, pair[side]);
  }
}

function count(tally: Tally, differences: readonly SubjectDifference[]): void {
  const different = new Set<string>();
  for (const { key, kind, reason } of differences) {
    if (reason === null) {
      tally.differences[kind] += 1;
      different.add(key);
    } else tally.reasons[reason] = (tally.reasons[reason] ?? 0) + 1;
  }
  tally.different += different.size;
}

/** Supply points by our records and the messages of the network operator. A request that its response completes has no message. */
const POINTS: PreparedQuery = {
  name: 'reconcile-points',
  text: `
    with point as (
      select a.external_account_number, s.account_id, s.position, s.address_position, s.switch_round, asked.count as asked, asked.unanswered,
        reported.accepted, reported.moved and asked.count = 0 as is_strange
      from unnest($1::uuid[]) as w (id) join account a on a.id = w.id join account_supply_point s on s.account_id = a.id
        join supply_point m on m.id = s.supply_point_id
        cross join lateral (
          select count(*)::integer as count, (count(*) filter (where r.answered_at is null))::integer as unanswered
          from switch_request r where r.account_id = s.account_id and r.point_position = s.position) asked
        cross join lateral (
          select (count(*) filter (where k.outcome = 'ACCEPTED'))::integer as accepted, coalesce(bool_or(k.effect = 'moved'), false) as moved
          from market_message k
          where k.import_supplier = a.import_supplier and k.external_account_number = a.external_account_number and k.source = 'message'
            and k.effect <> 'dismissed' and (k.supply_point_identifier is null or k.supply_point_identifier = m.identifier)) reported),
    too_often as (
      select s.external_account_number as key, ${pointPathSql('s')} as path, t."table"
      from point s cross join lateral (
        values ('switch_request', s.asked > s.switch_round), ('market_message', s.accepted > s.switch_round)) t ("table", is_so)
      where t.is_so order by 1, 2, 3)
    select count(*)::integer as supply_points, coalesce(sum(asked), 0)::integer as switches_asked,
      count(*) filter (where asked > switch_round)::integer as switches_asked_too_often,
      coalesce(sum(unanswered), 0)::integer as switches_unanswered,
      count(*) filter (where accepted > switch_round)::integer as switches_accepted_too_often,
      count(*) filter (where is_strange)::integer as switches_told_without_request,
      (select coalesce(json_agg(too_often), '[]') from too_often) as "tooOften"
    from point`,
};

type PointCounts = Omit<Parties, `payment_${string}`>;

/**
 * Adds the supply points of accounts, and what outside parties reported about them, to a tally.
 * @returns points whose switch was requested, or accepted, more often than it was started
 */
async function addPointsOf(
  em: EntityManager,
  accountIds: readonly string[],
  parties: Parties,
): Promise<SubjectDifference[]> {
  type Row = PointCounts & { tooOften: Pick<SubjectDifference, 'key' | 'path' | 'table'>[] };
  const [row] = await run<Row>(em, POINTS, [accountIds]);
  const { tooOften, ...counts } = row!;
  for (const name of Object.keys(counts) as (keyof PointCounts)[]) parties[name] += counts[name];
  return tooOften.map((point) => ({ ...point, subject: 'account', kind: 'extra', column: null, reason: null }));
}

/**
 * No copy of a business is stored, so only columns that must agree with each other are compared: the SIRET and its sent form, the type of a
 * term and its content, fields that were sent empty, and positions, which must be consecutive.
 */
const COMPARE: PreparedQuery = {
  name: 'reconcile-businesses',
  text: `
    with wanted as (select b.* from business b where b.import_supplier = $1 and b.external_business_identifier = any($2::text[])),
    contract as (
      select w.external_business_identifier as key, c.*, row_number() over (partition by c.business_id order by c.position) - 1 as place
      from wanted w join business_contract c on c.business_id = w.id),
    version as (
      select c.key, c.place as contract, v.*, row_number() over (partition by v.business_contract_id order by v.position) - 1 as place
      from contract c join contract_version v on v.business_contract_id = c.id),
    term as (
      select v.key, v.contract, v.place as version, t.*, row_number() over (partition by t.business_contract_id, t.version_position order by t.position) - 1 as place
      from version v join contract_term t on t.business_contract_id = v.business_contract_id and t.version_position = v.position)
    select external_business_identifier as key, 'siret' as path, 'changed' as kind, 'business' as table, 'siret' as column from wanted
      where siret is distinct from nullif(regexp_replace(siret_as_sent, '[^0-9]', '', 'g'), '')
    union all select external_business_identifier, e, 'extra', 'business', e from wanted, unnest(sent_empty) e
      where (e = 'business_type' and business_type is not null) or (e = 'siret' and siret is not null)
        or (e = 'details' and exists (select from business_detail d where d.business_id = wanted.id))
    union all select w.external_business_identifier, 'details', 'missing', 'business_detail', null from wanted w
      where exists (select from business_detail d where d.business_id = w.id having count(*) <> max(d.position) + 1)
    union all select key, 'business_contracts.' || place, 'missing', 'business_contract', null from contract where position <> place
    union all select key, 'business_contracts.' || place || '.signed_at_date', 'extra', 'business_contract', 'signed_at_date' from contract
      where 'signed_at_date' = any(sent_empty) and signed_at_date is not null
    union all select key, 'business_contracts.' || place, 'changed', 'business_contract', 'import_supplier' from contract where import_supplier <> $1
    union all select c.key, 'business_contracts.' || c.place || '.versions', 'missing', 'contract_version', null from contract c
      where not exists (select from version v where v.business_contract_id = c.id)
    union all select key, 'business_contracts.' || contract || '.versions.' || place, 'missing', 'contract_version', null from version where position <> place
    union all select key, 'business_contracts.' || contract || '.versions.' || version || '.terms.' || place, 'missing', 'contract_term', null from term where position <> place
    union all select key, 'business_contracts.' || contract || '.versions.' || version || '.terms.' || place || '.term_type', 'changed', 'contract_term', 'term_type' from term
      where content ->> 'term_type' is distinct from term_type`,
};

/** Compares businesses of an import supplier by their external identifiers. */
async function compareBusinesses(
  em: EntityManager,
  importSupplier: string,
  identifiers: readonly string[],
): Promise<SubjectDifference[]> {
  if (identifiers.length === 0) return [];
  const rows = await run<SubjectDifference & Record<string, unknown>>(em, COMPARE, [importSupplier, identifiers]);
  return rows.map((row) => ({ ...row, subject: 'business', reason: null }));
}
