import type { EntityManager } from '@mikro-orm/postgresql';
import pMap from 'p-map';
import { v5 as uuidv5 } from 'uuid';
import {
  alreadyImported,
  bisectCreation,
  checkAccountPayload,
  createFromStaged,
  findPayloadWarnings,
  findStagingWarnings,
  refuseMissingDocuments,
  stageAccounts,
  stagedForm,
  type CreationContext,
  type CreationEntry,
  type CreationOutcome,
  type StagedAccount,
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
import type { JobAtWork, Line, LineKind, LineOutcome } from './line-kind.rules.ts';
import { INVISIBLE, readLine, takeSupplierOf } from '../read-line.validation.ts';

/** What accounts of a job need beside the transaction of their page. */
export interface AccountLineDeps {
  /** For what is looked up before that transaction. */
  database: Queryable;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  creation: CreationContext;
  clock: Clock;
  log: Log;
}

/** An account that was judged: ready to be staged, or refused. */
interface JudgedAccount {
  line: number;
  body: unknown;
  key: string | undefined;
  verdict: { staged: StagedAccount; warnings: readonly Warning[] } | Refused;
}

/** From so many bytes on an account is judged in steps. */
const LARGE_BYTES = 65_536;
/** Longer keys are no account's. */
const KEY_LENGTH_MAX = 128;
const DOCUMENT_CHECKS_AT_ONCE = 4;

/** How accounts are done: judged and staged as operation 2 does it, a page at once; REHEARSE creates them too, within what is rolled back. */
export function accountLineKind(deps: AccountLineDeps): LineKind<JudgedAccount> {
  return {
    prepare: async (job, lines, yieldToEventLoop) => {
      const judged: JudgedAccount[] = [];
      for (const line of lines) {
        judged.push(await judge(deps, job, line, yieldToEventLoop));
        await yieldToEventLoop();
      }
      await refuseWithoutDocuments(deps, job, judged);
      return addStagingWarnings(deps, judged);
    },
    write: (em, job, judged) => stage(deps, em, job, judged),
    bodyOf: ({ body }) => body,
    claimOf: ({ key }) => key,
  };
}

async function judge(
  deps: AccountLineDeps,
  job: JobAtWork,
  { line, bytes }: Line,
  yieldToEventLoop: () => Promise<void>,
): Promise<JudgedAccount> {
  const read = readLine(bytes);
  if (isRefused(read)) return { line, body: undefined, key: undefined, verdict: read };
  const { body, isPlain } = read;
  const key = keyIn(body);
  const stranger = takeSupplierOf(job, body);
  if (stranger) return { line, body, key, verdict: stranger };
  const request = {
    body,
    isPlain,
    isLarge: bytes.length > LARGE_BYTES,
    caller: callerOfJob(job),
    nextTurn: yieldToEventLoop,
  };
  const checked = await checkAccountPayload(request, deps);
  if (isRefused(checked)) return { line, body, key, verdict: checked };
  const warnings = findPayloadWarnings(checked, parisDay(deps.clock.now()));
  return { line, body, key, verdict: { staged: stagedForm(checked), warnings } };
}

/** The key of a line, as it was sent; undefined where it is none. */
function keyIn(body: unknown): string | undefined {
  const key = membersIn(body)['external_account_number'];
  if (typeof key !== 'string') return undefined;
  const trimmed = key.trim();
  const isKey =
    trimmed !== '' && trimmed.length <= KEY_LENGTH_MAX && trimmed.isWellFormed() && !INVISIBLE.test(trimmed);
  return isKey ? trimmed : undefined;
}

/** Before the transaction, so that no lock waits for the store. @throws VendorUnavailable when it cannot be asked: the page is tried again */
async function refuseWithoutDocuments(deps: AccountLineDeps, job: JobAtWork, judged: JudgedAccount[]): Promise<void> {
  const supplier = await deps.suppliers.find(job.importSupplier);
  if (supplier === undefined || !checksDocuments(supplier)) return;
  await pMap(
    judged,
    async (account) => {
      if (isRefused(account.verdict)) return;
      const { staged } = account.verdict;
      const missing = await refuseMissingDocuments(deps.documents, supplier, staged.account, deps.log);
      if (missing?.code === 'service_unavailable') {
        throw new VendorUnavailable('The document store cannot be asked.');
      }
      if (missing) account.verdict = missing;
    },
    { concurrency: DOCUMENT_CHECKS_AT_ONCE },
  );
}

async function addStagingWarnings(deps: AccountLineDeps, judged: JudgedAccount[]): Promise<JudgedAccount[]> {
  const valid = judged.flatMap(({ verdict }) => (isRefused(verdict) ? [] : [verdict]));
  const found = await findStagingWarnings(
    deps.database,
    valid.map(({ staged }) => staged.account),
  );
  for (const [index, verdict] of valid.entries()) {
    verdict.warnings = [...verdict.warnings, ...found[index]!].slice(0, WARNINGS_LISTED_MAX);
  }
  return judged;
}

async function stage(
  deps: AccountLineDeps,
  em: EntityManager,
  job: JobAtWork,
  judged: readonly JudgedAccount[],
): Promise<LineOutcome[]> {
  const valid = judged.flatMap(({ line, verdict }) => (isRefused(verdict) ? [] : [{ line, ...verdict }]));
  const stagings = await stageAccounts(
    em,
    job.importSupplier,
    valid.map(({ staged }) => staged),
  );
  const outcomes = new Map<number, LineOutcome>();
  for (const [index, { line, staged, warnings }] of valid.entries()) {
    const key = staged.externalAccountNumber;
    const staging = stagings[index]!;
    switch (staging.kind) {
      case 'staged':
        outcomes.set(
          line,
          job.goal === 'CREATE'
            ? { kind: 'staged', key, warnings, revision: staging.revision }
            : { kind: 'succeeded', key, warnings },
        );
        break;
      case 'imported':
        outcomes.set(line, failed(alreadyImported(key, staging.accountNumber), key));
        break;
      case 'skipped':
        outcomes.set(line, failed(refuse('import_process_marked_to_skip'), key));
        break;
      case 'not-ongoing':
        outcomes.set(line, failed(migrationNotOngoing(staging.status), key));
    }
  }
  if (job.goal === 'REHEARSE') await rehearseStaged(deps, em, job, valid, outcomes);
  return judged.map(({ line, key, verdict }) =>
    isRefused(verdict) ? failed(verdict, key) : (outcomes.get(line) as LineOutcome),
  );
}

async function rehearseStaged(
  deps: AccountLineDeps,
  em: EntityManager,
  job: JobAtWork,
  valid: readonly { line: number; staged: StagedAccount }[],
  outcomes: Map<number, LineOutcome>,
): Promise<void> {
  const going = valid.filter(({ line }) => outcomes.get(line)?.kind === 'succeeded');
  const tried = await rehearse(
    em,
    going.map(({ line, staged }) => entryOf(job, line, staged.externalAccountNumber)),
    deps.creation,
  );
  for (const [index, { line }] of going.entries()) {
    const { key, warnings } = outcomes.get(line)!;
    const outcome = outcomeOfCreation(tried[index]!, key);
    // Its number is taken back with it.
    outcomes.set(line, { ...(outcome.kind === 'succeeded' ? { kind: outcome.kind, key } : outcome), warnings });
  }
}

/** Creates accounts in what the caller rolls back, and says what would become of each. */
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

/** The creation of a line. Its id is that of the line: a second run of it finds its own account. */
export function entryOf(job: JobAtWork, line: number, externalAccountNumber: string): CreationEntry {
  return {
    creationId: uuidv5(String(line), job.jobId),
    importSupplier: job.importSupplier,
    externalAccountNumber,
    operationsTeam: job.operationsTeam ?? '',
  };
}

/** What the outcome of a creation means for its line; a rehearsal gives no number. */
export function outcomeOfCreation(created: CreationOutcome, key: string | undefined): LineOutcome {
  if (created.kind === 'refused') return failed(created, key);
  return created.kind === 'created'
    ? { kind: 'succeeded', key, number: created.serviceAccountNumber }
    : { kind: 'quarantined', key };
}

function failed({ code, violations = [], detail, extras }: Refused, key: string | undefined): LineOutcome {
  const number = extras?.['service_account_number'];
  const known = typeof number === 'string' ? `It is ${number}.` : undefined;
  return { kind: 'failed', key, code, errors: violations, detail: detail ?? known };
}
