import { Type } from 'typebox';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, TokenRoute } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { Settings } from '../platform/settings.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { TEXT_LENGTH_MAX } from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { findSupplierInScope, readingOptionsOf, type SupplierDirectory } from '../suppliers/index.ts';
import { membersIn } from '../vocabulary/loose-payload.ts';
import { refusals, refuse, type RefusalCode, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { warning, warningsOf, type Warning } from '../vocabulary/warnings.ts';
import {
  createPaymentInstructionSchema,
  type CreatePaymentInstructionRequest,
} from './create-payment-instruction.schema.ts';
import { findOtherAccountOf } from './instruction-use.store.ts';
import {
  findPaymentInstructionViolations,
  IN_USE,
  rejectionSentence,
  type VerificationOutcome,
} from './payment-instruction.rules.ts';
import { watchPausedVendors, type PausedVendors } from './payment-vendor-rest.store.ts';
import {
  requestVerification,
  type NotRequested,
  type RequestedVerification,
  type VerificationLimits,
} from './request-verification.store.ts';
import { awaitVerification } from './verify-payment-instruction.client.ts';

const check = compilePayload<CreatePaymentInstructionRequest>(createPaymentInstructionSchema, (request) =>
  findPaymentInstructionViolations(membersIn(request)),
);

/** Retry-After of a request whose vendor has not answered yet. */
const RETRY_AFTER_SECONDS = 5;

const NO_SUCH_POINT = 'The account has no supply point with this identifier.';

interface InstructionDeps {
  settings: Pick<
    Settings,
    | 'PAYMENT_BUDGET_MS'
    | 'PAYMENT_VERIFICATIONS_PER_MINUTE'
    | 'PAYMENT_JOB_REFUSALS_FACTOR'
    | 'PAYMENT_REFUSALS_PER_HOUR'
    | 'PAYMENT_START_DEADLINE_MS'
  >;
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  bodyLimitBytes: number;
}

export interface PaymentInstructionDeps extends InstructionDeps {
  settings: Settings;
  gateway: TemporalGateway;
  /** Derives the id of a verification from the id of its request. For import jobs, which retry to get the outcome. */
  verificationIdOf?: (requestId: string) => string;
}

/** Operation 7: verifies a payment instruction with its vendor and stores it (docs/suppliers/payment-instructions.md). */
export const createPaymentInstruction = (
  deps: PaymentInstructionDeps,
  vendors: PausedVendors = watchPausedVendors(deps.database),
): TokenRoute =>
  routeOf(deps, {
    isLimited: true,
    verificationIdOf: deps.verificationIdOf,
    outcomeOf: (work, { log, hungUp }) =>
      awaitVerification(deps.gateway, log, work, {
        startDeadlineMs: deps.settings.PAYMENT_START_DEADLINE_MS,
        answerTimeoutMs: deps.settings.PAYMENT_TIMEOUT_MS,
        hungUp: hungUp(),
        isPaused: () => vendors.isPaused(work.input.vendor),
      }),
  });

/**
 * Operation 7 without the call to the vendor. Writes like operation 7.
 * @param deps with a database that the caller rolls back
 */
export const validatePaymentInstruction = (deps: InstructionDeps): TokenRoute =>
  routeOf(deps, { isLimited: false, outcomeOf: async () => ({ kind: 'verified' }) });

/** Determines how a pending verification gets its outcome. */
interface Verifying {
  /** Whether the limits of verifications per API key apply. */
  isLimited: boolean;
  verificationIdOf?: PaymentInstructionDeps['verificationIdOf'] | undefined;
  outcomeOf(
    work: NonNullable<RequestedVerification['work']>,
    request: Pick<AuthenticatedRequest, 'log' | 'hungUp'>,
  ): Promise<VerificationOutcome>;
}

const KEY = { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711' };
const example = (vendor: string, reference: string, type: string) => ({ ...KEY, vendor, reference, type });

const named = {
  error_detail: Type.String({ examples: ['The payment vendor does not know this reference.'] }),
  external_account_number: Type.String(),
  import_supplier: Type.String(),
  reference: Type.String(),
};
const withReason = (code: string) =>
  Type.Object({ ...named, reason: Type.String({ description: 'The reason, as a code.', examples: [code] }) });

const openApi: RouteOpenApi = {
  operationId: 'createPaymentInstruction',
  tag: 'Attachments',
  summary: 'Verify a payment instruction with its vendor and add it to an imported account',
  description:
    'Waits for the payment vendor. If the vendor does not answer in time, the response is 500 and the verification continues: the same request later returns its result and never creates a second instruction. ' +
    'With `supply_point_identifier` the instruction belongs to that point, otherwise to the account as a whole. It replaces the instruction of the same type for the same point, which is stored as history. ' +
    'An instruction in force is confirmed immediately. A rejection is repeated for ten minutes. Any other request calls the vendor again.',
  request: createPaymentInstructionSchema,
  rules: {
    '': ['max_depth'],
    type: ['invalid_payment_instruction'],
    supply_point_identifier: ['supply_point_not_found'],
  },
  requestExamples: {
    'a mandate at GoCardless': example('GOCARDLESS', 'MD000123', 'DIRECT_DEBIT'),
    'a mandate for one supply point': {
      ...example('GOCARDLESS', 'MD000124', 'DIRECT_DEBIT'),
      supply_point_identifier: '25012345678901',
    },
    'a card at Stripe': example('STRIPE', 'pm_1MqLiJLkdIwHu7ixUEgbFdYF', 'CARD'),
    'a mandate at SlimPay': example('SLIMPAY', 'RUM-2026-000123', 'DIRECT_DEBIT'),
    'a stored card at Adyen': example('ADYEN', 'shopper-4711/7219687191761347', 'CARD'),
  },
  replies: {
    201: {
      description: 'The vendor accepts the instruction, and it is in force.',
      schema: Type.Object(
        {
          service_account_number: Type.String({ description: 'Number of the account on the platform.' }),
          reference: Type.String(),
          warnings: Type.Optional(warningsMember),
        },
        { title: 'CreatedPaymentInstruction' },
      ),
    },
  },
  refusals: [
    'account_not_found',
    'payment_vendor_rejected',
    'payment_vendor_unreachable',
    'payment_instruction_in_use',
    'throttled',
    'payment_vendor_unavailable',
  ],
  refusalMembers: {
    validation_failed: Type.Object(
      { ...Type.Partial(Type.Object(named)).properties, error_detail: named.error_detail },
      { title: 'PaymentInstructionNotValid' },
    ),
    payment_vendor_rejected: withReason('not_found'),
    payment_vendor_unreachable: withReason('vendor_unavailable'),
    payment_instruction_in_use: Type.Object(named),
    payment_vendor_unavailable: Type.Object(named),
  },
};

const routeOf = (deps: InstructionDeps, { isLimited, verificationIdOf, outcomeOf }: Verifying): TokenRoute => ({
  method: 'POST',
  path: '/v1/data-import/payment-instruction/create',
  access: 'supplier',
  openApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const { body, caller } = request;
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
    const { data, violations, truncated, payloadWarnings } = check(body, undefined, readingOptionsOf(supplier));
    if (violations.length > 0) {
      return refuse('validation_failed', { violations, truncated, extras: extrasOf(data, violations[0]!.detail) });
    }
    if (supplier === undefined) return refuse('account_not_found');
    const { settings } = deps;
    const requested = await requestVerification(deps.database, data, {
      keyId: caller.keyId,
      verificationId: verificationIdOf?.(request.requestId),
      budgetMs: settings.PAYMENT_BUDGET_MS,
      limits: isLimited ? limitsOf(settings, verificationIdOf !== undefined) : undefined,
    });
    if (requested.kind !== 'requested') return refusalOf(requested, data);
    const outcome = requested.work === undefined ? requested.outcome : await outcomeOf(requested.work, request);
    const otherAccount =
      outcome.kind === 'verified'
        ? await findOtherAccountOf(deps.database, { ...requested, vendor: data.vendor, reference: data.reference })
        : undefined;
    return answer(outcome, data, requested.serviceAccountNumber, [...payloadWarnings, ...warningsAbout(otherAccount)]);
  },
});

function limitsOf(settings: InstructionDeps['settings'], isOfJob: boolean): VerificationLimits {
  return {
    perMinute: settings.PAYMENT_VERIFICATIONS_PER_MINUTE,
    refusedPerHour: settings.PAYMENT_REFUSALS_PER_HOUR * (isOfJob ? settings.PAYMENT_JOB_REFUSALS_FACTOR : 1),
    isOfJob,
  };
}

function refusalOf(requested: NotRequested, data: CreatePaymentInstructionRequest): Refused {
  switch (requested.kind) {
    case 'account-not-found':
      return refuse('account_not_found');
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

function answer(
  outcome: VerificationOutcome,
  data: CreatePaymentInstructionRequest,
  serviceAccountNumber: string,
  warnings: readonly Warning[],
): Reply | Refused {
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
      return { ...refused('payment_vendor_unavailable', detail), retryAfterSeconds: RETRY_AFTER_SECONDS };
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
