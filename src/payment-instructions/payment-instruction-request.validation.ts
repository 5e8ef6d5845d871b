import { refuseMissingAccount } from '../accounts/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Reply } from '../platform/http/route.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { TEXT_LENGTH_MAX } from '../platform/validation/field-types.schema.ts';
import { findSupplierInScope, readingOptionsOf, type SupplierDirectory } from '../suppliers/index.ts';
import { membersIn } from '../vocabulary/loose-payload.ts';
import { refusals, refuse, type RefusalCode, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { warning, warningsOf, type Warning } from '../vocabulary/warnings.ts';
import {
  createPaymentInstructionSchema,
  type CreatePaymentInstructionRequest,
} from './create-payment-instruction.schema.ts';
import {
  findPaymentInstructionViolations,
  IN_USE,
  rejectionSentence,
  type VerificationOutcome,
} from './payment-instruction.rules.ts';
import type { NotRequested } from './request-verification.store.ts';

const check = compilePayload<CreatePaymentInstructionRequest>(createPaymentInstructionSchema, (request) =>
  findPaymentInstructionViolations(membersIn(request)),
);

/** Retry-After of a request whose vendor has not answered yet. */
const RETRY_AFTER_SECONDS = 5;

const NO_SUCH_POINT = 'The account has no supply point with this identifier.';

/** A valid request. */
export interface ReadInstruction {
  data: CreatePaymentInstructionRequest;
  payloadWarnings: readonly Warning[];
}

/** Checks a request of operation 7, or the equivalent line of a job. */
export async function readInstruction(
  suppliers: SupplierDirectory,
  request: AuthenticatedRequest,
): Promise<ReadInstruction | Refused> {
  const supplier = await findSupplierInScope(suppliers, request, 'import_supplier');
  const { data, violations, truncated, payloadWarnings } = check(request.body, undefined, readingOptionsOf(supplier));
  if (violations.length > 0) {
    return refuse('validation_failed', { violations, truncated, extras: extrasOf(data, violations[0]!.detail) });
  }
  return supplier === undefined ? refuse('account_not_found') : { data, payloadWarnings };
}

/** The refusal of a request for which nothing was stored. */
export async function refusalOf(
  requested: NotRequested,
  database: WritableDatabase,
  data: CreatePaymentInstructionRequest,
): Promise<Refused> {
  switch (requested.kind) {
    case 'account-not-found':
      return refuseMissingAccount(database, data.import_supplier, data.external_account_number);
    case 'point-not-found':
      return refuse('validation_failed', {
        violations: [violation('supply_point_not_found', ['supply_point_identifier'], NO_SUCH_POINT)],
        extras: extrasOf(data, NO_SUCH_POINT),
      });
    case 'limited':
      return refuse('throttled', {
        detail:
          'This API key has reached its limit of verifications. Send the same request again after the time in Retry-After.',
        retryAfterSeconds: requested.retryAfterSeconds,
      });
  }
}

/** Details of a reply. */
interface ReplyDetails {
  payloadWarnings: readonly Warning[];
  /** Another account of the same import supplier on which the instruction is in force. */
  otherAccount: string | undefined;
  /** For a request whose vendor has not answered yet. */
  retryAfterSeconds?: number | undefined;
}

/** The reply to a request, by the outcome of its verification. */
export function replyOf(
  outcome: VerificationOutcome,
  data: CreatePaymentInstructionRequest,
  serviceAccountNumber: string,
  { payloadWarnings, otherAccount, retryAfterSeconds = RETRY_AFTER_SECONDS }: ReplyDetails,
): Reply | Refused {
  const warnings = [...payloadWarnings, ...warningsAbout(otherAccount)];
  const refused = (code: RefusalCode, detail: string, reason: { reason?: string | undefined } = {}): Refused =>
    refuse(code, { detail, extras: { ...extrasOf(data, detail), ...reason } });
  switch (outcome.kind) {
    case 'verified':
      return {
        status: 201,
        body: { service_account_number: serviceAccountNumber, reference: data.reference, ...warningsOf(warnings) },
      };
    case 'rejected':
      return outcome.reason === IN_USE
        ? refused('payment_instruction_in_use', refusals.payment_instruction_in_use.sentence)
        : refused('payment_vendor_rejected', rejectionSentence(outcome.reason), { reason: outcome.reason });
    case 'unreachable':
      return refused(
        'payment_vendor_unreachable',
        'The payment vendor gave no usable answer within the time limit. Ask the operators before you send the request again.',
        { reason: outcome.reason },
      );
    case 'waits': {
      const detail =
        'The payment vendor has not answered yet. The verification continues; send the same request again later to get the result.';
      return { ...refused('payment_vendor_unavailable', detail), retryAfterSeconds };
    }
    case 'unknown':
      return refuse('account_not_found');
  }
}

/** The other account belongs to the same import supplier, so its number may be shown. */
function warningsAbout(otherAccount: string | undefined): Warning[] {
  return otherAccount === undefined
    ? []
    : [warning('payment_instruction_on_another_account', ['reference'], `It is ${otherAccount}.`)];
}

/** Additional members of 400 and 500 bodies; a member that is not a string or is too long is omitted. */
function extrasOf(data: CreatePaymentInstructionRequest, detail: string): Record<string, unknown> {
  const sent = membersIn(data);
  const named = ['external_account_number', 'import_supplier', 'reference']
    .filter((name) => typeof sent[name] === 'string' && sent[name].length <= TEXT_LENGTH_MAX)
    .map((name) => [name, sent[name]]);
  return { error_detail: detail, ...Object.fromEntries(named) };
}
