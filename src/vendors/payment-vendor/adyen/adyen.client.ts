import {
  createVendorHttp,
  jsonOf,
  MalformedAnswer,
  type VendorAnswer,
  type VendorHttpOptions,
} from '../../../platform/vendor-http/vendor-http.ts';
import type { PaymentInstructionType } from '../../../vocabulary/value-sets.ts';
import { VendorMisconfigured, VendorUnavailable } from '../../../vocabulary/vendor-errors.ts';
import type { CurrentSecret } from '../../../platform/secrets/secrets.ts';
import { withSecrets } from '../../../platform/vendor-http/with-secrets.ts';
import type { QueriedInstruction, InstructionState, PaymentVendorPort } from '../payment-vendor.port.ts';
import { at, objectIn, objectsIn, rejection, textIn } from '../vendor-answer.client.ts';

const VENDOR = 'Adyen';
/** Version of the API that this client was written for. */
export const ADYEN_VERSION = 'v71';
/** Error code of a call while the same call is in progress. */
const IN_PROGRESS = '704';

/** Adyen's names of the payment methods for each of our types. */
const METHODS: Readonly<Record<PaymentInstructionType, readonly string[]>> = {
  CARD: ['scheme'],
  DIRECT_DEBIT: ['sepadirectdebit', 'directdebit_GB'],
};
/** Payments without the payer's presence. */
const WITHOUT_SHOPPER = ['Subscription', 'UnscheduledCardOnFile'];

/** A client of Adyen: stored payment methods of a shopper. Adyen does not report an unknown shopper as an error. */
export function createAdyenClient(
  options: Omit<VendorHttpOptions, 'vendor'> & { apiKey: CurrentSecret; merchantAccount: string | undefined },
): PaymentVendorPort {
  const http = createVendorHttp({ ...options, vendor: VENDOR });
  const call = withSecrets(http, VENDOR, options.apiKey, (key) => ({ 'x-api-key': key }));
  return {
    check: async (instruction, signal) => {
      if (!options.merchantAccount) throw new VendorMisconfigured(`${VENDOR} has no merchant account set.`);
      const { shopper, id } = shopperAndId(instruction);
      const query = new URLSearchParams({ merchantAccount: options.merchantAccount, shopperReference: shopper });
      const path = `/${ADYEN_VERSION}/storedPaymentMethods?${query.toString()}`;
      return call({ method: 'GET', path, headers: { accept: 'application/json' }, signal }, (answer) =>
        answer.status === 200 ? stateOf(jsonOf(answer), id, instruction.type) : refuse(answer),
      );
    },
    close: () => http.close(),
  };
}

/** Splits `<shopper reference>/<id>`. If only the id is given, the shopper reference is the account's external number. */
function shopperAndId({ reference, externalAccountNumber }: QueriedInstruction): { shopper: string; id: string } {
  const slash = reference.lastIndexOf('/');
  return slash < 0
    ? { shopper: externalAccountNumber, id: reference }
    : { shopper: reference.slice(0, slash), id: reference.slice(slash + 1) };
}

function stateOf(answered: unknown, id: string, type: PaymentInstructionType): InstructionState {
  const body = objectIn(answered);
  const stored = body['storedPaymentMethods'] === undefined ? [] : objectsIn(body, 'storedPaymentMethods');
  const method = stored.find((one) => textIn(one, 'id') === id);
  if (method === undefined) throw rejection(VENDOR, 'not_found');
  if (!METHODS[type].includes(textIn(method, 'type'))) throw rejection(VENDOR, 'wrong_type');
  const models = method['supportedRecurringProcessingModels'];
  if (!Array.isArray(models)) throw new MalformedAnswer('no list at supportedRecurringProcessingModels');
  if (!models.some((model) => WITHOUT_SHOPPER.includes(String(model)))) throw rejection(VENDOR, 'not_reusable');
  return { kind: 'usable' };
}

/** Classifies an error by its `errorType`, after the header for transient errors and the code of a call in progress. */
function refuse(answer: VendorAnswer): never {
  const isPassing = answer.headers['transient-error'] === 'true';
  const body = isPassing ? undefined : jsonOf(answer);
  if (isPassing || at(body, ['errorCode']) === IN_PROGRESS) {
    throw new VendorUnavailable(`${VENDOR} fails (${answer.status}).`);
  }
  switch (at(body, ['errorType'])) {
    case 'validation':
    case 'configuration':
      throw rejection(VENDOR, 'invalid_reference');
    case 'security':
      throw new VendorMisconfigured(
        `${VENDOR} rejects our calls (${answer.status}): check key, rights and merchant account.`,
      );
    case 'internal':
      throw new VendorUnavailable(`${VENDOR} fails (${answer.status}).`);
    default:
      throw new MalformedAnswer(`status ${answer.status} without an error that is known`);
  }
}
