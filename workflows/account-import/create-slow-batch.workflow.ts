import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  patched,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountActivities } from '../../activities/account-import/create-from-staged.activities.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { accountHash, aloneQueueOf, creationBudget, DATABASE_TIMED_OUT } from '../../temporal.config.ts';

/** Accounts in the summary of an activity, which Temporal limits to 200 bytes. The details of the run list all. */
const ACCOUNTS_NAMED_MAX = 4;

/** Creates a slow batch in parts, one transaction each; a part of one account gets more time. */
export async function createInParts(entries: CreationEntry[]): Promise<CreationOutcome[]> {
  const [first] = entries as [CreationEntry];
  if (entries.length === 1) {
    return [
      await waiting(
        'Takes long',
        entries,
        aloneQueueOf(workflowInfo().taskQueue),
        creationBudget.waitingAlone,
      ).createWithMoreTime(first),
    ];
  }
  const outcomes: CreationOutcome[] = [];
  const size = Math.ceil(entries.length / creationBudget.partsOfSlowBatch);
  for (let from = 0; from < entries.length; from += size) {
    outcomes.push(...(await createPart(entries.slice(from, from + size))));
  }
  return outcomes;
}

async function createPart(entries: CreationEntry[]): Promise<CreationOutcome[]> {
  if (entries.length === 1) return createInParts(entries);
  try {
    return await waiting('Takes long', entries, aloneQueueOf(workflowInfo().taskQueue)).createPart(entries);
  } catch (error) {
    if (hasTimedOut(error)) return createInParts(entries);
    throw error;
  }
}

/** Limits the search attribute to 2 kB. A batch has at most 64 accounts, unless an installation raises the setting. */
const ACCOUNTS_HASHED_MAX = 100;
const IMPORT_SUPPLIER = defineSearchAttributeKey('ImportSupplier', 'KEYWORD');
const IMPORT_STATUS = defineSearchAttributeKey('ImportStatus', 'KEYWORD');
const IMPORT_ACCOUNTS = defineSearchAttributeKey('ImportAccounts', 'KEYWORD_LIST');

/** Makes a batch that did not succeed at its first attempt visible and findable in the web UI. */
export function describeWaiting(entries: readonly CreationEntry[], why: string): void {
  const [first] = entries as [CreationEntry];
  setCurrentDetails(
    [
      `${why} The pending activity shows the last failure and the next attempt. To retry now, choose "Reset" on the pending activity.`,
      `${entries.length === 1 ? '1 account' : `${entries.length} accounts`} of ${first.importSupplier}:`,
      // Details are Markdown; indented lines are shown as they are.
      entries.map((entry) => `    ${entry.externalAccountNumber}`).join('\n'),
    ].join('\n\n'),
  );
  if (!patched('waiting-batches-are-found')) return;
  upsertSearchAttributes([
    { key: IMPORT_SUPPLIER, value: first.importSupplier },
    { key: IMPORT_STATUS, value: 'WAITING' },
    {
      key: IMPORT_ACCOUNTS,
      value: entries
        .slice(0, ACCOUNTS_HASHED_MAX)
        .map((entry) => accountHash(entry.importSupplier, entry.externalAccountNumber)),
    },
  ]);
}

/** Whether a creation failed because its transaction took too long. */
export function hasTimedOut(error: unknown): boolean {
  // A local activity rejects with its own failure, a regular one with a failure around it.
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === DATABASE_TIMED_OUT;
}

/** Activities that retry until the database answers; the web UI shows the summary. */
export function waiting(
  what: string,
  entries: readonly CreationEntry[],
  taskQueue: string,
  budget: typeof creationBudget.waiting | typeof creationBudget.waitingAlone = creationBudget.waiting,
) {
  const { startToCloseTimeout, initialInterval, backoffCoefficient, maximumInterval } = budget;
  const named = entries
    .slice(0, ACCOUNTS_NAMED_MAX)
    .map((entry) => entry.externalAccountNumber.slice(0, 24))
    .join(', ');
  const more = entries.length > ACCOUNTS_NAMED_MAX ? ` and ${entries.length - ACCOUNTS_NAMED_MAX} more` : '';
  return proxyActivities<AccountActivities>({
    startToCloseTimeout,
    taskQueue,
    retry: { initialInterval, backoffCoefficient, maximumInterval },
    summary: `${what}: ${named}${more}`,
  });
}
