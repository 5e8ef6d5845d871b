import { createHash } from 'node:crypto';
import {
  compilePayload,
  type CheckedPayload,
  type PayloadOptions,
  type RequestToCheck,
} from '../../platform/validation/compile-payload.ts';
import { compileCutNulls } from '../../platform/validation/cut-nulls.ts';
import type { SchemaNode } from '../../platform/validation/schema-node.ts';
import { mapMaybe, type MaybePromise } from '../../foundation/maybe-promise.ts';
import type { Violation } from '../../vocabulary/violations.ts';
import type { Warning } from '../../vocabulary/warnings.ts';
import { findAccountViolations, type AccountFacts } from './account-payload.rules.ts';
import { accountPayloadSchema, type AccountPayload } from './account-payload.schema.ts';

/** Increase it with each change of a rule or a format; changes of the schema change its hash. */
const RULES_REVISION = 3;

const checkAccount = compilePayload<AccountPayload, AccountFacts>(accountPayloadSchema, findAccountViolations);
const cut = compileCutNulls(accountPayloadSchema as SchemaNode) ?? ((account: unknown) => account);

/** Version of schema and rules. Accounts that were staged under another version are validated again at creation. */
export const ACCOUNT_RULES_VERSION = `${RULES_REVISION}-${createHash('sha256').update(JSON.stringify(accountPayloadSchema)).digest('hex').slice(0, 12)}`;

/** An account payload after all checks. */
export interface ValidatedAccount {
  /** The validated data: values as sent after trimming, without unknown members. */
  account: AccountPayload;
  /** All faults in payload order, 1,000 at most. */
  violations: Violation[];
  truncated: boolean;
  /** Members that were dropped, and unknown values of sets that are open. */
  payloadWarnings: Warning[];
}

/**
 * Validates an account payload (operations 1 and 2) against schema and cross-field rules, and returns all faults.
 * @param input the parsed body; numbers beyond 15 digits or with an exponent as `JSON.rawJSON`
 */
export function validateAccountPayload(
  input: unknown,
  facts: AccountFacts,
  options?: PayloadOptions,
): ValidatedAccount {
  return asAccount(checkAccount(input, facts, options));
}

/** Validates the account in the body of a request; a large one in steps. */
export function validateAccountRequest(
  request: RequestToCheck,
  facts: AccountFacts,
  options?: PayloadOptions,
): MaybePromise<ValidatedAccount> {
  return mapMaybe(checkAccount.ofRequest(request, facts, options), asAccount);
}

function asAccount({ data, ...checked }: CheckedPayload<AccountPayload>): ValidatedAccount {
  return { account: data, ...checked };
}

/** A valid account as it is stored: without the nulls at documented places. Opaque values keep theirs. */
export function cutNulls(account: AccountPayload): AccountPayload {
  return cut(account) as AccountPayload;
}
