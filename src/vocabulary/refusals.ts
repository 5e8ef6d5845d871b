import type { Violation } from './violations.ts';

/**
 * The catalogue of refusals: everything that gangway may answer instead of doing what was asked.
 * HTTP numbers stand here and in `platform/http` only.
 */
export interface RefusalEntry {
  status: 400 | 401 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 422 | 429 | 500 | 503;
  /** What the client should do with the request: give up, correct it, send the same again, or wait first. */
  retry: 'never' | 'after-correction' | 'same-request' | 'later';
  /** The public sentence; says what to do. Wording may change. */
  sentence: string;
  /** Nothing that anybody does makes the same request succeed later. */
  isLasting?: true;
  /** The page of `docs/` that says more. */
  page?: `docs/${string}.md${string}`;
}

export const refusals = {
  account_failed_validation: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The account data is not valid; correct the fields listed in errors.',
  },
  validation_failed: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The request is not valid; correct the fields listed in errors.',
  },
  parse_error: { status: 400, retry: 'after-correction', sentence: 'The body is not valid JSON in UTF-8.' },
  unknown_query_parameter: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The operation has no query parameter of this name; correct or remove it.',
    page: 'docs/suppliers/rules.md',
  },
  invalid_idempotency_key: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'The header Idempotency-Key is no key: send 1 to 255 visible ASCII characters, or such a text in double quotes.',
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
    sentence: 'The account is marked to be skipped; ask the operators to unmark it.',
  },
  import_supplier_migration_not_ongoing: {
    status: 400,
    retry: 'later',
    sentence: 'The import supplier is not open for migration now.',
  },
  import_process_failed_validation: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The staged data is not valid any more; stage corrected data, then create again.',
  },
  account_quarantined: {
    status: 400,
    retry: 'never',
    sentence:
      'The database cannot store this account. Sending the request again does not help: operators must correct the cause.',
    page: 'docs/suppliers/accounts.md#from-validation-to-creation',
  },
  dry_run_succeeded: {
    status: 400,
    retry: 'never',
    sentence: 'The account would be imported; everything was rolled back because this was a dry run.',
  },
  business_already_exists: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'The business is stored already and differs at the places listed in errors; send it as it was stored to get its id, and add contracts by business-contracts/create.',
  },
  last_operator_key: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'This is the last key in force that can issue other keys; issue another operator key with the scope all first.',
    page: 'docs/operators/keys-and-tokens.md',
  },
  payment_vendor_rejected: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The payment vendor cannot use this instruction; do not send it again unchanged.',
    page: 'docs/suppliers/payment-instructions.md',
  },
  payment_vendor_unreachable: {
    status: 400,
    retry: 'later',
    sentence:
      'The payment vendor gave no usable answer for as long as it is asked; ask the operators before sending it again.',
    page: 'docs/suppliers/payment-instructions.md',
  },
  payment_instruction_in_use: {
    status: 400,
    retry: 'after-correction',
    sentence:
      'The payment instruction is in force on an account of another import supplier; send another one, or ask the operators.',
    page: 'docs/suppliers/payment-instructions.md',
  },
  import_job_not_open: {
    status: 400,
    retry: 'never',
    sentence: 'The import job takes no other content: it was started already, or it takes what is staged.',
    page: 'docs/suppliers/import-jobs.md',
  },
  reconciliation_not_completed: {
    status: 400,
    retry: 'later',
    sentence: 'The reconciliation is not completed, so there is no certificate of it.',
    page: 'docs/suppliers/reconciliation.md',
  },
  erasure_must_wait: {
    status: 400,
    retry: 'later',
    sentence: 'The person cannot be erased while work on the account is under way; the detail says which.',
    page: 'docs/operators/personal-data.md',
  },
  import_job_parts_missing: {
    status: 400,
    retry: 'after-correction',
    sentence: 'The parts of the import job are not all there; upload those in missing_parts, then start it again.',
    page: 'docs/suppliers/import-jobs.md',
  },
  import_job_ended: {
    status: 400,
    retry: 'never',
    isLasting: true,
    sentence: 'The import job has ended and cannot be changed any more.',
    page: 'docs/suppliers/import-jobs.md',
  },
  not_authenticated: {
    status: 401,
    retry: 'after-correction',
    sentence: 'Send the header Authorization: Token <ACCESS_TOKEN>.',
  },
  authentication_failed: {
    status: 401,
    retry: 'after-correction',
    sentence: 'The token is not valid or has expired; obtain a new one.',
    page: 'docs/suppliers/rules.md#rate-limits',
  },
  permission_denied: { status: 403, retry: 'never', sentence: 'The role of this key does not allow the operation.' },
  not_found: { status: 404, retry: 'after-correction', sentence: 'Nothing was found here.' },
  account_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence:
      'No imported account of this import supplier has this number; import the account first, staging alone is not enough.',
  },
  business_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'No business of this import supplier has this identifier; create it first.',
  },
  import_job_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'There is no import job with this id that your key may see.',
    page: 'docs/suppliers/import-jobs.md',
  },
  reconciliation_not_found: {
    status: 404,
    retry: 'after-correction',
    sentence: 'There is no reconciliation with this id that your key may see.',
    page: 'docs/suppliers/reconciliation.md',
  },
  method_not_allowed: {
    status: 405,
    retry: 'after-correction',
    sentence: 'The path does not take this method; the header Allow lists those that it takes.',
  },
  not_acceptable: { status: 406, retry: 'after-correction', sentence: 'Answers are JSON; accept application/json.' },
  idempotency_key_in_use: {
    status: 409,
    retry: 'later',
    sentence:
      'A request with this Idempotency-Key is being worked on; send the same request again after the time in Retry-After to get its answer.',
    page: 'docs/suppliers/rules.md',
  },
  request_too_large: {
    status: 413,
    retry: 'after-correction',
    sentence: 'The body is larger than this operation takes.',
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
    sentence: 'Another request had this Idempotency-Key before; give each request a key of its own.',
    page: 'docs/suppliers/rules.md',
  },
  throttled: {
    status: 429,
    retry: 'later',
    sentence: 'Too many requests at once; try again after the time in Retry-After.',
    page: 'docs/suppliers/rules.md#rate-limits',
  },
  error: {
    status: 500,
    retry: 'same-request',
    sentence: 'An unexpected error occurred; report the request_id if it stays.',
  },
  payment_vendor_unavailable: {
    status: 500,
    retry: 'same-request',
    sentence:
      'The payment vendor has not answered yet; the verification continues, and the same request later returns its result.',
    page: 'docs/suppliers/payment-instructions.md',
  },
  service_unavailable: {
    status: 503,
    retry: 'same-request',
    sentence:
      'A part of the service is out of reach and nothing was started; send the same request again after the time in Retry-After.',
  },
  creation_pending: {
    status: 503,
    retry: 'same-request',
    sentence:
      'It is not known yet whether the account is created; send the same request again after the time in Retry-After. It cannot double the account.',
  },
} as const satisfies Record<string, RefusalEntry>;

export type RefusalCode = keyof typeof refusals;

/** A state that the API foresees, as a returned value (never thrown inside a capability). */
export interface Refused {
  kind: 'refused';
  code: RefusalCode;
  /** Members that stand beside `detail`, `code` and `errors` in the body. */
  extras?: Readonly<Record<string, unknown>>;
  violations?: readonly Violation[];
  /** There are more violations than are listed. */
  truncated?: boolean;
  /** Sent as the header Retry-After. */
  retryAfterSeconds?: number;
  /** A sentence more precise than the catalogue's. */
  detail?: string;
}

/** Makes a refusal from a code of the catalogue. */
export function refuse(code: RefusalCode, more: Omit<Refused, 'kind' | 'code'> = {}): Refused {
  return { kind: 'refused', code, ...more };
}

/** Tells a refusal from any other value. */
export function isRefused(value: unknown): value is Refused {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'refused';
}
