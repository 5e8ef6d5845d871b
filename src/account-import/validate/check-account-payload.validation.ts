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
import { documentPositions } from './attachment.rules.ts';

export interface PayloadDeps {
  suppliers: SupplierDirectory;
  clock: Clock;
}

export interface CheckedAccount {
  account: AccountPayload;
  supplier: KnownSupplier | undefined;
  validatedWith: string;
  phoneNumbers: KnownPhoneNumbers | undefined;
  /** Dropped members, and unknown values of open value sets. */
  payloadWarnings: Warning[];
}

/**
 * Validates an account payload for operations 1 and 2.
 * @returns the validated data, or a refusal with all violations. An import supplier outside the caller's scope is reported like an unknown
 * one.
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
      supplierCodes: { has: (code) => code === supplier?.code },
      closedValueSets: () => closedValueSetsOf(supplier),
      phoneNumbers,
    },
    readingOptionsOf(supplier),
  );
  if (violations.length > 0) return refuse('account_failed_validation', { violations, truncated });
  // Serializing a large account gets its own time slice.
  if (request.isLarge) await request.yieldToEventLoop();
  return {
    account,
    supplier,
    validatedWith: rulesVersion(supplier?.optionsRevision ?? 0),
    phoneNumbers,
    payloadWarnings,
  };
}

/** The stored form of a valid account: without nulls, and with phone numbers in E.164 form. */
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

/** Identifies the rules that a payload was validated with: the application's version, and the revision of the supplier's options. */
export function rulesVersion(optionsRevision: number): string {
  return `${ACCOUNT_RULES_VERSION}/${optionsRevision}`;
}

/** Validates a staged payload again at creation, under the present rules. */
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
        // The foreign key proves that the supplier is registered; the cached list of suppliers may be a second old.
        supplierCodes: { has: (code) => code === importSupplier },
        closedValueSets: () => closedValueSetsOf(supplier),
        phoneNumbers,
      },
      { openValueSets: readingOptionsOf(supplier).openValueSets },
    ).violations;
  };
}

/** Checks that the documents of a valid account exist, for operations 1 and 2 and suppliers with the option `check_documents`. */
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
  const missing = await documents.findMissing(supplier, documentPositions(account), log);
  if (isRefused(missing)) return missing;
  return missing.length === 0 ? undefined : refuse('account_failed_validation', { violations: missing });
}
