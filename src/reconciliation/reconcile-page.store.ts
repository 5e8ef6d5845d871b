import type { EntityManager } from '@mikro-orm/postgresql';
import { setImmediate } from 'node:timers/promises';
import { type PreparedQuery, run } from '../platform/database/prepared-query.ts';
import { countInForce } from './queried-instructions.rules.ts';
import type { Form } from './compare/accepted-items.rules.ts';
import { ACCOUNT_MISSING, type ComparedAccount } from './compare/compare-account.rules.ts';
import { type ReconciledAccount, compareAccounts } from './compare/compare-accounts.store.ts';
import { compareBusinesses } from './compare/compare-businesses.store.ts';
import { accountForm, transactionForm } from './compare/read-stored.store.ts';
import { type SubjectDifference, listDifferences } from './difference.store.ts';
import { countInstructionsInForce } from './instructions-in-force.store.ts';
import { addPartiesOf } from './parties.store.ts';
import { type ReconciliationRecord, findReconciliation, lockReconciliation } from './reconciliation.store.ts';
import { type HashSum, type Tally, addDecimal, hashOfLines, hashSum } from './tally.rules.ts';

const AT_ONE_MOMENT: PreparedQuery = {
  name: 'reconcile-at-one-moment',
  text: 'set transaction isolation level repeatable read',
};

const KEYS_OF_SUPPLIER: PreparedQuery = {
  name: 'reconcile-keys-of-supplier',
  text: `
    select external_account_number as key, external_account_number as position from import_process
    where import_supplier = $1 and external_account_number > $2 order by external_account_number limit $3`,
};
const KEYS_OF_JOB: PreparedQuery = {
  name: 'reconcile-keys-of-job',
  text: `
    select case when state = 'succeeded' then key end as key, line::text as position, state = 'succeeded' and number is not null as created from import_job_line
    where job_id = $1 and line > coalesce(nullif($2, ''), '0')::integer order by line limit $3`,
};
const KEYS_OF_BUSINESSES: PreparedQuery = {
  name: 'reconcile-keys-of-businesses',
  text: `
    select external_business_identifier as key, external_business_identifier as position from business
    where import_supplier = $1 and external_business_identifier > $2 order by external_business_identifier limit $3`,
};

/** The result of a page. */
export interface ReconciledPage {
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
  await run(em, AT_ONE_MOMENT, []);
  const record = await lockReconciliation(em, id);
  if (record === undefined) {
    const running = await findReconciliation(em, id);
    return running?.status === 'RUNNING' ? 'locked' : undefined;
  }
  if (record.status !== 'RUNNING') return undefined;
  if (record.tally.compared_at !== undefined) return { keys: 0, record };
  const found = await nextKeys(em, record, size);
  const keys = found.flatMap(({ key }) => key ?? []);
  const created = found.flatMap(({ key, created: isCreated }) => (isCreated && key !== null ? [key] : []));
  const differences =
    record.subject === 'account'
      ? await reconcileAccounts(em, record, { keys, created }, hashKey)
      : await reconcileBusinesses(em, record, keys);
  count(record.tally, differences);
  await listDifferences(em, record, differences);
  record.position = found.at(-1)?.position ?? record.position;
  const isSubjectOver = found.length === 0;
  const areBusinessesNext = isSubjectOver && record.subject === 'account' && record.importJobId === null;
  if (areBusinessesNext) Object.assign(record, { subject: 'business', position: '' });
  else if (isSubjectOver) record.tally.compared_at = new Date().toISOString();
  return { keys: areBusinessesNext ? 1 : found.length, record };
}

function nextKeys(
  em: EntityManager,
  { subject, importSupplier, importJobId, position }: ReconciliationRecord,
  size: number,
): Promise<{ key: string | null; position: string; created?: boolean }[]> {
  if (importJobId !== null) return run(em, KEYS_OF_JOB, [importJobId, position, size]);
  return run(em, subject === 'account' ? KEYS_OF_SUPPLIER : KEYS_OF_BUSINESSES, [importSupplier, position, size]);
}

/** @param page `created`: accounts that must exist, because the results of a job say that it created them */
async function reconcileAccounts(
  em: EntityManager,
  { importSupplier, organisation, tally }: ReconciliationRecord,
  { keys, created }: { keys: readonly string[]; created: readonly string[] },
  hashKey: Buffer | undefined,
): Promise<SubjectDifference[]> {
  const differences: SubjectDifference[] = [];
  const hashes = new OpenHashes(tally);
  const accountIds: string[] = [];
  const missing = new Set(created);
  for await (const account of compareAccounts(em, importSupplier, keys, hashKey)) {
    tally.accounts += 1;
    missing.delete(account.external);
    if (account.by === 'nothing') tally.without_copy += 1;
    if (account.by === 'hashes') tally.by_hashes += 1;
    if (account.accountId !== null) accountIds.push(account.accountId);
    addCompared(tally, hashes, accountForm, account.external, account.account);
    if (account.transactions) addCompared(tally, hashes, transactionForm, account.external, account.transactions);
    differences.push(...differencesOf(account));
  }
  hashes.close();
  tally.accounts += missing.size;
  for (const key of missing) differences.push({ subject: 'account', key, ...ACCOUNT_MISSING });
  countInForce(tally, await countInstructionsInForce(em, accountIds), organisation === null);
  differences.push(...(await addPartiesOf(em, accountIds, tally.parties)));
  return differences;
}

function differencesOf({ external, account, transactions }: ReconciledAccount): SubjectDifference[] {
  return [...account.differences, ...(transactions?.differences ?? [])].map((difference) => ({
    subject: 'account',
    key: external,
    ...difference,
  }));
}

/** The sums of hashes of a tally, while accounts are added. */
class OpenHashes {
  readonly #tally: Tally;
  readonly #sums = new Map<string, [HashSum, HashSum]>();
  constructor(tally: Tally) {
    this.#tally = tally;
  }
  add(path: string, external: string, accepted: string | undefined, stored: string | undefined): void {
    let sums = this.#sums.get(path);
    if (sums === undefined) {
      const [was, is] = this.#tally.hashes[path] ?? [];
      sums = [hashSum(was), hashSum(is)];
      this.#sums.set(path, sums);
    }
    const digest = accepted === undefined ? undefined : hashOfLines(external, accepted);
    if (digest !== undefined) sums[0].add(digest);
    if (accepted === stored && digest !== undefined) sums[1].add(digest);
    else if (stored !== undefined) sums[1].add(hashOfLines(external, stored));
  }
  close(): void {
    for (const [path, [was, is]] of this.#sums) this.#tally.hashes[path] = [was.toString(), is.toString()];
  }
}

function addCompared(tally: Tally, hashes: OpenHashes, form: Form, external: string, compared: ComparedAccount): void {
  tally.values += compared.values;
  const { accepted, stored } = compared.lines;
  for (const [place, path] of form.hashedPaths.entries()) {
    if (accepted[place] === undefined && stored[place] === undefined) continue;
    hashes.add(path, external, accepted[place], stored[place]);
    const sum = form.sums.get(place);
    if (sum === undefined) continue;
    const [was, is] = tally.sums[sum] ?? ['0', '0'];
    tally.sums[sum] = [addLines(was, accepted[place]), addLines(is, stored[place])];
  }
}

function addLines(sum: string, lines = ''): string {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .reduce((total, line) => addDecimal(total, line.slice(line.indexOf('\t') + 1)), sum);
}

async function reconcileBusinesses(
  em: EntityManager,
  { importSupplier, tally }: ReconciliationRecord,
  keys: readonly string[],
): Promise<SubjectDifference[]> {
  const compared = await compareBusinesses(em, importSupplier, keys);
  tally.businesses += keys.length;
  await setImmediate();
  return compared;
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
