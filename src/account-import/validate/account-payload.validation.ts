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

/** Raised by hand with each change of a rule or a format; a change of the schema shows by itself. */
const RULES_REVISION = 3;

const checkAccount = compilePayload<AccountPayload, AccountFacts>(accountPayloadSchema, findAccountViolations);
const cut = compileCutNulls(accountPayloadSchema as SchemaNode) ?? ((account: unknown) => account);

/** Under which schema and rules a payload was judged. What was staged under another version is judged again at creation. */
export const ACCOUNT_RULES_VERSION = `${RULES_REVISION}-${createHash('sha256').update(JSON.stringify(accountPayloadSchema)).digest('hex').slice(0, 12)}`;

/** An account payload after all checks. */
export interface ValidatedAccount {
  /** What is answered: values as sent after trimming, unknown members dropped. */
  account: AccountPayload;
  /** All faults in payload order, 1,000 at most. */
  violations: Violation[];
  truncated: boolean;
  /** Members that were dropped, and unknown values of sets that are open. */
  payloadWarnings: Warning[];
}

/**
 * Judges an account payload (operations 1 and 2): schema and cross-field rules, all faults at once.
 * @param input the parsed body; numbers beyond 15 digits or with an exponent as `JSON.rawJSON`
 */
export function validateAccountPayload(
  input: unknown,
  facts: AccountFacts,
  options?: PayloadOptions,
): ValidatedAccount {
  return asAccount(checkAccount(input, facts, options));
}

/** Judges the account in the body of a request; a large one step by step. */
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
