import type { EntityManager } from '@mikro-orm/postgresql';
import pMap from 'p-map';
import { v5 as uuidv5 } from 'uuid';
import {
  addToWave,
  alreadyImported,
  bisectCreation,
  checkAccountPayload,
  createFromStaged,
  findInOtherWaves,
  findPayloadWarnings,
  findStagingWarnings,
  refuseMissingDocuments,
  stageAccounts,
  stagedForm,
  type CreationContext,
  type CreationEntry,
  type CreationOutcome,
  type StagedAccount,
  type StagingOutcome,
} from '../../account-import/index.ts';
import { parisDay, type Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { isTransientError } from '../../platform/database/faults.ts';
import type { Log } from '../../platform/log.ts';
import { checksDocuments, type DocumentCheck, type SupplierDirectory } from '../../suppliers/index.ts';
import { migrationNotOngoing } from '../../suppliers/supplier-status.rules.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import { WARNINGS_LISTED_MAX, type Warning } from '../../vocabulary/warnings.ts';
import { callerOfJob } from './routed-line-kind.store.ts';
import type { JobAtWork, Line, LineKind, LineOutcome, PreparedLine } from './line-kind.rules.ts';
import { INVISIBLE, readLineOfJob } from '../read-line.validation.ts';

export interface AccountLineDeps {
  /** For reads before the transaction of a page. */
  database: Queryable;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  creation: CreationContext;
  clock: Clock;
  log: Log;
}

/** A validated account: ready to be staged, or refused. */
interface ValidatedAccount extends PreparedLine {
  staged?: StagedAccount;
  warnings: readonly Warning[];
}

function isValid(account: ValidatedAccount): account is ValidatedAccount & { staged: StagedAccount } {
  return account.refused === undefined;
}

/** Accounts of more bytes are validated in time slices. */
const LARGE_BYTES = 65_536;
/** The longest external account number. */
const KEY_LENGTH_MAX = 128;
const DOCUMENT_CHECKS_AT_ONCE = 4;

/** Validates and stages accounts like operation 2, a page at a time. REHEARSE also creates them, then rolls back. */
export function accountLineKind(deps: AccountLineDeps): LineKind<ValidatedAccount> {
  return {
    prepare: async (job, lines, yieldToEventLoop) => {
      const accounts: ValidatedAccount[] = [];
      for (const line of lines) {
        accounts.push(await validateLine(deps, job, line, yieldToEventLoop));
        await yieldToEventLoop();
      }
      await refuseWithoutDocuments(deps, job, accounts);
      return addStagingWarnings(deps, accounts);
    },
    write: (em, job, accounts) => stage(deps, em, job, accounts),
    claimsKeys: true,
  };
}

async function validateLine(
  deps: AccountLineDeps,
  job: JobAtWork,
  line: Line,
  yieldToEventLoop: () => Promise<void>,
): Promise<ValidatedAccount> {
  const read = readLineOfJob(job, line);
  const { body, isPlain, bytes } = read;
  const account = { ...read, key: keyIn(body), warnings: [] };
  if (!isValid(account)) return account;
  const request = { body, isPlain, isLarge: bytes > LARGE_BYTES, caller: callerOfJob(job), yieldToEventLoop };
  const checked = await checkAccountPayload(request, deps);
  if (isRefused(checked)) return { ...account, refused: checked };
  const staged = stagedForm(checked);
  const warnings = findPayloadWarnings(checked, parisDay(deps.clock.now()));
  return { ...account, key: staged.externalAccountNumber, staged, warnings };
}

/** The key of a line; undefined if it is missing or invalid. */
function keyIn(body: unknown): string | undefined {
  const key = membersIn(body)['external_account_number'];
  if (typeof key !== 'string') return undefined;
  const trimmed = key.trim();
  const isKey =
    trimmed !== '' && trimmed.length <= KEY_LENGTH_MAX && trimmed.isWellFormed() && !INVISIBLE.test(trimmed);
  return isKey ? trimmed : undefined;
}

/** Runs before the transaction, so that no lock waits for the document store. @throws VendorUnavailable if the store does not answer: retry the page */
async function refuseWithoutDocuments(
  deps: AccountLineDeps,
  job: JobAtWork,
  accounts: ValidatedAccount[],
): Promise<void> {
  const supplier = await deps.suppliers.find(job.importSupplier);
  if (supplier === undefined || !checksDocuments(supplier)) return;
  await pMap(
    accounts,
    async (account) => {
      if (!isValid(account)) return;
      const missing = await refuseMissingDocuments(deps.documents, supplier, account.staged.account, deps.log);
      if (missing?.code === 'service_unavailable') {
        throw new VendorUnavailable('The document store is unavailable.');
      }
      account.refused = missing;
    },
    { concurrency: DOCUMENT_CHECKS_AT_ONCE },
  );
}

async function addStagingWarnings(deps: AccountLineDeps, accounts: ValidatedAccount[]): Promise<ValidatedAccount[]> {
  const valid = accounts.filter(isValid);
  const found = await findStagingWarnings(
    deps.database,
    valid.map(({ staged }) => staged.account),
  );
  for (const [index, account] of valid.entries()) {
    account.warnings = [...account.warnings, ...found[index]!].slice(0, WARNINGS_LISTED_MAX);
  }
  return accounts;
}

async function stage(
  deps: AccountLineDeps,
  em: EntityManager,
  job: JobAtWork,
  accounts: readonly ValidatedAccount[],
): Promise<LineOutcome[]> {
  if (job.waveId !== null) await refuseMembersOfOtherWaves(em, { ...job, id: job.waveId }, accounts);
  const valid = accounts.filter(isValid);
  const stagings = await stageAccounts(
    em,
    job.importSupplier,
    valid.map(({ staged }) => staged),
  );
  const outcomes = new Map(
    valid.map((account, index) => [account.line, outcomeOfStaging(job, account, stagings[index]!)]),
  );
  if (job.waveId !== null) await joinWave(em, { ...job, id: job.waveId }, valid, stagings);
  if (job.goal === 'REHEARSE') await rehearseStaged(deps, em, job, valid, outcomes);
  return accounts.map(({ line, refused }) => (refused ? failed(refused) : outcomes.get(line)!));
}

interface WaveOfJob {
  id: string;
  importSupplier: string;
}

/** An account of another wave is not staged: its wave would no longer be what was rehearsed and approved. */
async function refuseMembersOfOtherWaves(
  em: EntityManager,
  wave: WaveOfJob,
  accounts: readonly ValidatedAccount[],
): Promise<void> {
  const valid = accounts.filter(isValid);
  const elsewhere = await findInOtherWaves(
    em,
    wave,
    valid.map(({ staged }) => staged.externalAccountNumber),
  );
  for (const account of valid) {
    if (elsewhere.has(account.staged.externalAccountNumber)) account.refused = refuse('account_in_another_wave');
  }
}

async function joinWave(
  em: EntityManager,
  wave: WaveOfJob,
  valid: readonly { staged: StagedAccount }[],
  stagings: readonly StagingOutcome[],
): Promise<void> {
  const staged = valid.filter((_, index) => stagings[index]!.kind === 'staged');
  const joined = await addToWave(
    em,
    wave,
    staged.map(({ staged: { externalAccountNumber } }) => externalAccountNumber),
  );
  // Another job added one of them to another wave since the check above. The page is retried.
  if (joined.includes('in_another_wave')) throw new WaveTakenMeanwhile();
}

/** Makes the page of a job be retried, like a serialization failure of the database. */
class WaveTakenMeanwhile extends Error {
  override name = 'WaveTakenMeanwhile';
  readonly code = '40001';
}

function outcomeOfStaging(
  { goal }: JobAtWork,
  { key, warnings }: ValidatedAccount,
  staging: StagingOutcome,
): LineOutcome {
  switch (staging.kind) {
    case 'staged':
      return goal === 'CREATE'
        ? { kind: 'staged', warnings, revision: staging.revision }
        : { kind: 'succeeded', warnings };
    case 'imported':
      return failed(alreadyImported(key!, staging.accountNumber));
    case 'skipped':
      return failed(refuse('import_process_marked_to_skip'));
    case 'not-ongoing':
      return failed(migrationNotOngoing(staging.status));
  }
}

async function rehearseStaged(
  deps: AccountLineDeps,
  em: EntityManager,
  job: JobAtWork,
  valid: readonly { line: number; staged: StagedAccount; warnings: readonly Warning[] }[],
  outcomes: Map<number, LineOutcome>,
): Promise<void> {
  const toTry = valid.filter(({ line }) => outcomes.get(line)?.kind === 'succeeded');
  const tried = await rehearse(
    em,
    toTry.map(({ line, staged }) => entryOf(job, line, staged.externalAccountNumber)),
    deps.creation,
  );
  for (const [index, { line, warnings }] of toTry.entries()) {
    outcomes.set(line, { ...outcomeOfCreation(job, tried[index]!), warnings });
  }
}

/** Creates accounts in a transaction that the caller rolls back. @returns the outcome of each */
export async function rehearse(
  em: EntityManager,
  entries: readonly CreationEntry[],
  creation: CreationContext,
): Promise<CreationOutcome[]> {
  if (entries.length === 0) return [];
  const context = { ...creation, isRehearsal: true };
  try {
    return await em.transactional((all) => createFromStaged(all, entries, context));
  } catch (error) {
    if (isTransientError(error)) throw error;
    return bisectCreation(em, entries, context, async () => {});
  }
}

/** The creation of a line. Its id derives from the line, so that a retry finds the account that it created. */
export function entryOf(job: JobAtWork, line: number, externalAccountNumber: string): CreationEntry {
  return {
    creationId: uuidv5(String(line), job.id),
    importSupplier: job.importSupplier,
    externalAccountNumber,
    operationsTeam: job.operationsTeam ?? '',
  };
}

/** Converts the outcome of a creation to the outcome of its line. A rehearsed account is rolled back: it has no number and no quarantine. */
export function outcomeOfCreation({ goal }: JobAtWork, created: CreationOutcome): LineOutcome {
  if (created.kind === 'refused') return failed(created);
  if (goal === 'REHEARSE') {
    return created.kind === 'created' ? { kind: 'succeeded' } : { kind: 'failed', code: 'quarantined', errors: [] };
  }
  return created.kind === 'created'
    ? { kind: 'succeeded', number: created.serviceAccountNumber }
    : { kind: 'quarantined' };
}

function failed({ code, violations = [], detail, extras }: Refused): LineOutcome {
  const number = extras?.['service_account_number'];
  const known = typeof number === 'string' ? `It is ${number}.` : undefined;
  return { kind: 'failed', code, errors: violations, detail: detail ?? known };
}
