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

/** Increment it when a rule or format changes. Schema changes are detected by hash. */
const RULES_REVISION = 3;

const checkAccount = compilePayload<AccountPayload, AccountFacts>(accountPayloadSchema, findAccountViolations);
const cut = compileCutNulls(accountPayloadSchema as SchemaNode) ?? ((account: unknown) => account);

/** Version of schema and rules. Accounts staged under another version are validated again at creation. */
export const ACCOUNT_RULES_VERSION = `${RULES_REVISION}-${createHash('sha256').update(JSON.stringify(accountPayloadSchema)).digest('hex').slice(0, 12)}`;

/** An account payload after validation. */
export interface ValidatedAccount {
  /** The validated data: trimmed values, without unknown members. */
  account: AccountPayload;
  /** All violations in payload order, at most 1,000. */
  violations: Violation[];
  truncated: boolean;
  /** Dropped members, and unknown values of open value sets. */
  payloadWarnings: Warning[];
}

/**
 * Validates an account payload (operations 1 and 2) against schema and cross-field rules, and returns all violations.
 * @param input the parsed body; numbers with more than 15 digits or an exponent as `JSON.rawJSON`
 */
export function validateAccountPayload(
  input: unknown,
  facts: AccountFacts,
  options?: PayloadOptions,
): ValidatedAccount {
  return asAccount(checkAccount(input, facts, options));
}

/** Validates the account in the body of a request; a large one in time slices. */
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

/** Returns a valid account as it is stored: without nulls in documented members. Nulls within opaque values are kept. */
export function cutNulls(account: AccountPayload): AccountPayload {
  return cut(account) as AccountPayload;
}
