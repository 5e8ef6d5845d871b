import { Type } from 'typebox';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { AuthenticatedRequest, TokenRoute } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { Settings } from '../platform/settings.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import type { SupplierDirectory } from '../suppliers/index.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { createPaymentInstructionSchema } from './create-payment-instruction.schema.ts';
import { findOtherAccounts } from './instruction-use.store.ts';
import { readInstruction, refusalOf, replyOf } from './payment-instruction-request.validation.ts';
import type { VerificationOutcome } from './payment-instruction.rules.ts';
import { watchPausedVendors, type PausedVendors } from './payment-vendor-rest.store.ts';
import { requestVerification, type VerificationWork } from './request-verification.store.ts';
import { limitsOf } from './verification-limits.store.ts';
import { awaitVerification } from './verify-payment-instruction.client.ts';

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
}

/** Operation 7: verifies a payment instruction with its vendor and stores it (docs/suppliers/payment-instructions.md). */
export const createPaymentInstruction = (
  deps: PaymentInstructionDeps,
  vendors: PausedVendors = watchPausedVendors(deps.database),
): TokenRoute =>
  routeOf(deps, {
    isLimited: true,
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
  outcomeOf(
    work: VerificationWork,
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
    'account_being_withdrawn',
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

const routeOf = (deps: InstructionDeps, { isLimited, outcomeOf }: Verifying): TokenRoute => ({
  method: 'POST',
  path: '/v1/data-import/payment-instruction/create',
  access: 'supplier',
  openApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const read = await readInstruction(deps.suppliers, request);
    if (isRefused(read)) return read;
    const { data, payloadWarnings } = read;
    const { settings, database } = deps;
    const requested = await requestVerification(database, data, {
      keyId: request.caller.keyId,
      budgetMs: settings.PAYMENT_BUDGET_MS,
      limits: isLimited ? limitsOf(settings, false) : undefined,
    });
    if (requested.kind !== 'requested') return refusalOf(requested, database, data);
    const { accountId, serviceAccountNumber, work } = requested;
    const outcome = work === undefined ? requested.outcome : await outcomeOf(work, request);
    const { vendor, reference } = data;
    const [otherAccount] =
      outcome.kind === 'verified' ? await findOtherAccounts(database, [{ accountId, vendor, reference }]) : [];
    return replyOf(outcome, data, serviceAccountNumber, { payloadWarnings, otherAccount });
  },
});
