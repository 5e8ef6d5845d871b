import type { EntityManager } from '@mikro-orm/postgresql';
import { addBalances } from './balances.store.ts';
import { countInForce } from './queried-instructions.rules.ts';
import type { Form } from './compare/accepted-items.rules.ts';
import { ACCOUNT_MISSING, type ComparedAccount } from './compare/compare-account.rules.ts';
import { compareAccounts } from './compare/compare-accounts.store.ts';
import { type HashedLines, moneyIn, textsToHash } from './compare/hashed-lines.rules.ts';
import { compareBusinesses } from './compare/compare-businesses.store.ts';
import { accountForm, transactionForm } from './compare/accepted-forms.schema.ts';
import { type SubjectDifference, listDifferences } from './difference.store.ts';
import { countInstructionsInForce } from './instructions-in-force.store.ts';
import { addPointsOf } from './parties.store.ts';
import {
  type ReconciledKey,
  type ReconciliationRecord,
  findKeys,
  findReconciliation,
  lockReconciliation,
} from './reconciliation.store.ts';
import { type HashSum, type Tally, addDecimal, hashSum } from './tally.rules.ts';

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
