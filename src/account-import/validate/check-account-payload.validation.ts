import { setImmediate } from 'node:timers/promises';
import { type Clock, parisDay } from '../../platform/clock.ts';
import type { AuthenticatedRequest } from '../../platform/http/route.ts';
import {
  checksDocuments,
  closedValueSetsOf,
  type DocumentCheck,
  findSupplierInScope,
  type KnownSupplier,
  readingOptionsOf,
  type SupplierDirectory,
} from '../../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { Violation } from '../../vocabulary/violations.ts';
import type { Warning } from '../../vocabulary/warnings.ts';
import type { AccountPayload } from './account-payload.schema.ts';
import {
  ACCOUNT_RULES_VERSION,
  cutNulls,
  validateAccountPayload,
  validateAccountRequest,
} from './account-payload.validation.ts';
import { type KnownPhoneNumbers, phoneNumbersOf, readManyPhoneNumbers } from './phone-number.rules.ts';
import type { StagedAccount } from '../stage/stage-account.store.ts';
import type { Log } from '../../platform/log.ts';
import type { MaybePromise } from '../../foundation/maybe-promise.ts';
import { documentPlaces } from './attachment.rules.ts';

export interface PayloadDeps {
  suppliers: SupplierDirectory;
  clock: Clock;
}

export interface CheckedAccount {
  account: AccountPayload;
  supplier: KnownSupplier | undefined;
  validatedWith: string;
  phoneNumbers: KnownPhoneNumbers | undefined;
  /** Members that were dropped, and unknown values of sets that are open. */
  payloadWarnings: Warning[];
}

/**
 * Checks an account payload for operations 1 and 2: all faults at once, or the validated data.
 * The import supplier must be registered and in the caller's scope; both look the same to the caller.
 */
export async function checkAccountPayload(
  request: Pick<AuthenticatedRequest, 'body' | 'isLarge' | 'isPlain' | 'caller' | 'yieldToEventLoop'>,
  deps: PayloadDeps,
): Promise<CheckedAccount | Refused> {
  const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
  const phoneNumbers = await readManyPhoneNumbers(request.body, request.yieldToEventLoop);
  const { account, violations, truncated, payloadWarnings } = await validateAccountRequest(
    request,
    {
      today: parisDay(deps.clock.now()),
      supplierCodes: { has: (asked) => asked === supplier?.code },
      closedValueSets: () => closedValueSetsOf(supplier),
      phoneNumbers,
    },
    readingOptionsOf(supplier),
  );
  if (violations.length > 0) return refuse('account_failed_validation', { violations, truncated });
  // Serializing a large account gets a time slice of its own.
  if (request.isLarge) await request.yieldToEventLoop();
  return {
    account,
    supplier,
    validatedWith: rulesVersion(supplier?.optionsRevision ?? 0),
    phoneNumbers,
    payloadWarnings,
  };
}

/** The stored form of a valid account: without nulls, phone numbers also in E.164. */
export function stagedForm(checked: CheckedAccount): StagedAccount {
  const account = cutNulls(checked.account);
  return {
    account,
    importSupplier: account.import_supplier,
    externalAccountNumber: account.external_account_number,
    payloadJson: JSON.stringify(account),
    phoneNumbersJson: JSON.stringify(phoneNumbersOf(account, checked.phoneNumbers)),
    validatedWith: checked.validatedWith,
    documentRoot: checked.supplier?.documentRoot ?? null,
  };
}

/** Names the rules that a payload was checked with: ours, and the supplier's options at that time. */
export function rulesVersion(optionsRevision: number): string {
  return `${ACCOUNT_RULES_VERSION}/${optionsRevision}`;
}

/** Checks a staged payload again, at creation, under the rules of today. */
export function revalidateStaged(
  deps: PayloadDeps,
): (payload: unknown, importSupplier: string) => Promise<readonly Violation[]> {
  return async (payload, importSupplier) => {
    const supplier = await deps.suppliers.find(importSupplier);
    const phoneNumbers = await readManyPhoneNumbers(payload, setImmediate);
    return validateAccountPayload(
      payload,
      {
        today: parisDay(deps.clock.now()),
        // Staged, hence registered: the foreign key says so, and the list of suppliers may be a second old.
        supplierCodes: { has: (code) => code === importSupplier },
        closedValueSets: () => closedValueSetsOf(supplier),
        phoneNumbers,
      },
      { openValueSets: readingOptionsOf(supplier).openValueSets },
    ).violations;
  };
}

/** Looks up the documents of a valid account, for operations 1 and 2; only for suppliers with the option `check_documents`. */
export function refuseMissingDocuments(
  documents: DocumentCheck,
  supplier: KnownSupplier | undefined,
  account: AccountPayload,
  log: Log,
): MaybePromise<Refused | undefined> {
  return supplier === undefined || !checksDocuments(supplier)
    ? undefined
    : refuseMissing(documents, supplier, account, log);
}

async function refuseMissing(
  documents: DocumentCheck,
  supplier: KnownSupplier,
  account: AccountPayload,
  log: Log,
): Promise<Refused | undefined> {
  const missing = await documents.findMissing(supplier, documentPlaces(account), log);
  if (isRefused(missing)) return missing;
  return missing.length === 0 ? undefined : refuse('account_failed_validation', { violations: missing });
}
