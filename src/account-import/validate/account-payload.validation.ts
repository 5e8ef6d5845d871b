import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Clock, parisDay } from '../../platform/clock.ts';
import type { AuthenticatedRequest } from '../../platform/http/route.ts';
import type { Log } from '../../platform/log.ts';
import { compilePayload } from '../../platform/validation/compile-payload.ts';
import { compileCutNulls } from '../../platform/validation/bad-text.ts';
import type { SchemaNode } from '../../platform/validation/schema-node.ts';
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
import type { StagedAccount } from '../stage/stage-account.store.ts';
import { type AccountFacts, findAccountViolations } from './account-payload.rules.ts';
import { type AccountPayload, accountPayloadSchema } from '../../accounts/account-payload.schema.ts';
import { documentPositions } from './attachment.rules.ts';
import { type KnownPhoneNumbers, phoneNumbersOf, readManyPhoneNumbers } from './phone-number.rules.ts';

/** Increment it when a rule or format changes. Schema changes are detected by hash. */
const RULES_REVISION = 3;

/** Validates an account payload (operations 1 and 2) against schema and cross-field rules, and returns all violations. */
export const checkAccount = compilePayload<AccountPayload, AccountFacts>(accountPayloadSchema, findAccountViolations);
/** Returns a valid account as it is stored: without nulls in documented members. Nulls within opaque values are kept. */
export const cutNulls = compileCutNulls(accountPayloadSchema as SchemaNode) ?? ((account: unknown) => account);

/** Version of schema and rules. Accounts staged under another version are validated again at creation. */
export const ACCOUNT_RULES_VERSION = `${RULES_REVISION}-${createHash('sha256').update(JSON.stringify(accountPayloadSchema)).digest('hex').slice(0, 12)}`;

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
  const {
    data: account,
    violations,
    truncated,
    payloadWarnings,
  } = await checkAccount.ofRequest(
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

/** The stored form of a valid account: without nulls in documented members, and with phone numbers in E.164 form. */
export function stagedForm(checked: CheckedAccount): StagedAccount {
  const account = cutNulls(checked.account) as AccountPayload;
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
    return checkAccount(
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
export async function refuseMissingDocuments(
  documents: DocumentCheck,
  supplier: KnownSupplier | undefined,
  account: AccountPayload,
  log: Log,
): Promise<Refused | undefined> {
  if (supplier === undefined || !checksDocuments(supplier)) return undefined;
  const missing = await documents.findMissing(supplier, documentPositions(account), log);
  if (isRefused(missing)) return missing;
  return missing.length === 0 ? undefined : refuse('account_failed_validation', { violations: missing });
}
