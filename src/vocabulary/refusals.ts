import type { Violation } from './violations.ts';

/** A refusal of the catalog, which contains every code with which gangway refuses a request. */
export interface RefusalEntry {
  status: 400 | 401 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 422 | 429 | 500 | 503;
  /** What the client should do: give up, correct the request, repeat it, or wait and repeat it. */
  retry: 'never' | 'after-correction' | 'same-request' | 'later';
  /** Public detail, which says what to do. The wording may change. */
  sentence: string;
  /** The outcome is final, so the response is stored for an Idempotency-Key. Otherwise operators may still change the state. */
  isLasting?: true;
  /** The page of `docs/` with more information. */
  page?: `docs/${string}.md${string}`;
}

export const refusals = {
  account_failed_validation: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The account data is not valid. Correct the fields listed in errors.',
  },
  validation_failed: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The request is not valid. Correct the fields listed in errors.',
  },
  parse_error: { status: 400, retry: 'after-correction', sentence: 'The body is not valid JSON in UTF-8.' },
  unknown_query_parameter: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The operation has no query parameter with this name. Correct or remove it.',
    page: 'docs/suppliers/rules.md',
  },
  invalid_idempotency_key: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'The Idempotency-Key header is malformed. Send 1 to 255 visible ASCII characters, with or without double quotes.',
    page: 'docs/suppliers/rules.md',
  },
  account_import_process_already_imported: {
    status: 400,
    retry: 'never',
    isLasting: true,
    sentence: 'The account has already been imported.',
  },
  import_process_marked_to_skip: {
    status: 400,
    retry: 'never',
    sentence: 'The account is marked to be skipped. Ask the operators to remove the mark.',
  },
  import_supplier_migration_not_ongoing: {
    status: 400,
    retry: 'later',
    sentence: 'The import supplier is paused or complete and does not accept migrations now.',
  },
  import_process_failed_validation: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The staged data is no longer valid. Stage corrected data, then create the account again.',
  },
  account_quarantined: {
    status: 400,
    retry: 'never',
    sentence:
      'The database cannot store this account. Do not send the same request again: ask the operators to correct the cause, or stage different data.',
    page: 'docs/suppliers/accounts.md#from-validation-to-creation',
  },
  dry_run_succeeded: {
    status: 400,
    retry: 'never',
    sentence: 'The account would be imported. All changes were rolled back because this was a dry run.',
  },
  business_already_exists: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'The business already exists and differs in the fields listed in errors. Send the stored values to get its id, and add contracts with business-contracts/create.',
  },
  last_operator_key: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'This is the last active key that can issue other keys. Issue another operator key with the scope `all` first.',
    page: 'docs/operators/keys-and-tokens.md',
  },
  payment_vendor_rejected: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The payment vendor rejects this instruction. Do not send it again unchanged.',
    page: 'docs/suppliers/payment-instructions.md',
  },
  payment_vendor_unreachable: {
    status: 400,
    retry: 'later',
    sentence:
      'The payment vendor did not return a usable answer within the verification period. Ask the operators before you send the request again.',
    page: 'docs/suppliers/payment-instructions.md',
  },
  payment_instruction_in_use: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'The payment instruction is active on an account of another import supplier. Send a different one, or ask the operators.',
    page: 'docs/suppliers/payment-instructions.md',
  },
  import_job_not_open: {
    status: 400,
    retry: 'never',
    sentence:
      'The import job does not accept uploads: it has already started, or it creates accounts that are already staged.',
    page: 'docs/suppliers/import-jobs.md',
  },
  import_job_not_withdrawable: {
    status: 400,
    retry: 'after-correction',
    sentence: 'Only an ended import job that created accounts and still has its results can be withdrawn.',
    page: 'docs/operators/withdrawal.md',
  },
  reconciliation_not_completed: {
    status: 400,
    retry: 'later',
    sentence: 'The reconciliation has not completed, so it has no certificate.',
    page: 'docs/suppliers/reconciliation.md',
  },
  erasure_must_wait: {
    status: 400,
    retry: 'later',
    sentence: 'The person cannot be erased while work on the account is in progress. The detail names the work.',
    page: 'docs/operators/personal-data.md',
  },
  import_job_parts_missing: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'Parts of the import job are missing. Upload the parts listed in missing_parts, then start the job again.',
    page: 'docs/suppliers/import-jobs.md',
  },
  import_job_ended: {
    status: 400,
    retry: 'never',
    isLasting: true,
    sentence: 'The import job has ended and can no longer be changed.',
    page: 'docs/suppliers/import-jobs.md',
  },
  manifest_differs: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The records differ from the manifest, and no operator has accepted the differences.',
    page: 'docs/suppliers/proof.md#arrival',
  },
  manifest_not_compared: {
    status: 400,
    retry: 'after-correction',
    sentence: 'There is no manifest, its records are still counted, or they agree with it.',
    page: 'docs/suppliers/proof.md#arrival',
  },
  manifest_too_late: {
    status: 400,
    retry: 'never',
    isLasting: true,
    sentence: 'A job of the wave was started without a manifest, so that the totals of its records are unknown.',
    page: 'docs/suppliers/proof.md#arrival',
  },
  wave_status_forbids: {
    status: 400,
    retry: 'never',
    sentence: 'The status of the wave does not allow this change.',
    page: 'docs/suppliers/waves.md',
  },
  wave_gate_not_passed: {
    status: 400,
    retry: 'after-correction',
    sentence: 'A gate of the wave is not passed. The detail names it and what it depends on.',
    page: 'docs/suppliers/waves.md#gates',
  },
  wave_plan_too_short: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The accounts cannot be created within the plan at the measured rate. Extend the plan or split the wave.',
    page: 'docs/suppliers/waves.md#creation',
  },
  second_person_required: {
    status: 400,
    retry: 'never',
    sentence: 'The person who asked for the approval cannot decide about it. Ask a second person.',
    page: 'docs/operators/waves.md#approval',
  },
  wave_changed: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The wave changed since the approval was requested. Rehearse it and ask for approval again.',
    page: 'docs/operators/waves.md#approval',
  },
  approval_required: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'This import supplier creates accounts only in approved waves. Add the account to a wave, and have its present revision approved.',
    page: 'docs/suppliers/waves.md#approval',
  },
  account_in_another_wave: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The account belongs to another wave. Move it with a reason.',
    page: 'docs/suppliers/waves.md#members',
  },
  not_authenticated: {
    status: 401,
    retry: 'after-correction',
    sentence: 'Send the header Authorization: Token <ACCESS_TOKEN>.',
  },
  authentication_failed: {
    status: 401,
    retry: 'after-correction',
    sentence: 'The token is not valid or has expired. Obtain a new one.',
    page: 'docs/suppliers/rules.md#rate-limits',
  },
  permission_denied: { status: 403, retry: 'never', sentence: 'The role of this key does not allow the operation.' },
  not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'The resource does not exist, or your key has no access to it.',
  },
  account_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence:
      'This import supplier has no imported account with this number. Import the account first; staging is not enough.',
  },
  business_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'This import supplier has no business with this identifier. Create the business first.',
  },
  import_job_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'The import job does not exist, or your key has no access to it.',
    page: 'docs/suppliers/import-jobs.md',
  },
  wave_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'The wave does not exist, or your key has no access to it.',
    page: 'docs/suppliers/waves.md',
  },
  reconciliation_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'The reconciliation does not exist, or your key has no access to it.',
    page: 'docs/suppliers/reconciliation.md',
  },
  withdrawal_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'The withdrawal does not exist, or your key has no access to it.',
    page: 'docs/operators/withdrawal.md',
  },
  method_not_allowed: {
    status: 405,
    retry: 'after-correction',
    sentence: 'The path does not support this method. The Allow header lists the supported methods.',
  },
  not_acceptable: {
    status: 406,
    retry: 'after-correction',
    sentence: 'Responses are JSON. Send Accept: application/json.',
  },
  account_being_withdrawn: {
    status: 409,
    retry: 'same-request',
    sentence: 'The account is being withdrawn. Send the same request again after the time in Retry-After.',
    page: 'docs/operators/withdrawal.md',
  },
  idempotency_key_in_use: {
    status: 409,
    retry: 'later',
    sentence:
      'A request with this Idempotency-Key is in progress. Send the same request again after the time in Retry-After to get its response.',
    page: 'docs/suppliers/rules.md',
  },
  request_too_large: {
    status: 413,
    retry: 'after-correction',
    sentence: 'The body is larger than this operation accepts.',
    page: 'docs/suppliers/rules.md',
  },
  unsupported_media_type: {
    status: 415,
    retry: 'after-correction',
    sentence: 'Send the body as application/json in UTF-8.',
  },
  idempotency_key_reused: {
    status: 422,
    retry: 'after-correction',
    sentence: 'This Idempotency-Key was used for a different request. Use a new key for each request.',
    page: 'docs/suppliers/rules.md',
  },
  throttled: {
    status: 429,
    retry: 'later',
    sentence: 'Too many requests. Send the request again after the time in Retry-After.',
    page: 'docs/suppliers/rules.md#rate-limits',
  },
  error: {
    status: 500,
    retry: 'same-request',
    sentence: 'An unexpected error occurred. If it persists, report the request_id.',
  },
  payment_vendor_unavailable: {
    status: 500,
    retry: 'same-request',
    sentence:
      'The payment vendor has not answered yet. The verification continues; send the same request later to get the result.',
    page: 'docs/suppliers/payment-instructions.md',
  },
  service_unavailable: {
    status: 503,
    retry: 'same-request',
    sentence:
      'The service is temporarily unavailable and nothing was started. Send the same request again after the time in Retry-After.',
  },
  creation_pending: {
    status: 503,
    retry: 'same-request',
    sentence:
      'It is not yet known whether the account was created. Send the same request again after the time in Retry-After; it never creates a second account.',
  },
} as const satisfies Record<string, RefusalEntry>;

export type RefusalCode = keyof typeof refusals;

/** A refusal as a return value. Capabilities return refusals and never throw them. */
export interface Refused {
  kind: 'refused';
  code: RefusalCode;
  /** Additional members of the body. */
  extras?: Readonly<Record<string, unknown>>;
  violations?: readonly Violation[];
  /** Whether there are more violations than listed. */
  truncated?: boolean;
  /** Sent as the header Retry-After. */
  retryAfterSeconds?: number;
  /** Replaces the catalog's sentence. */
  detail?: string;
}

/** Creates a refusal with a code of the catalog. */
export function refuse(code: RefusalCode, more: Omit<Refused, 'kind' | 'code'> = {}): Refused {
  return { kind: 'refused', code, ...more };
}

/** Returns whether a value is a refusal. */
export function isRefused(value: unknown): value is Refused {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'refused';
}
