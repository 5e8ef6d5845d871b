import { paymentBudget } from '../../temporal.config.ts';
import type {
  InstructionState,
  PaymentVendorPort,
  QueriedInstruction,
} from '../vendors/payment-vendor/payment-vendor.port.ts';
import type { PaymentVendor } from '../vocabulary/value-sets.ts';
import { VendorError, VendorMisconfigured, VendorUnavailable } from '../vocabulary/vendor-errors.ts';

/** The vendors whose address is set. */
export type CalledVendors = Readonly<Partial<Record<PaymentVendor, Pick<PaymentVendorPort, 'check'>>>>;

/**
 * Makes one attempt, with a timeout for all its calls.
 * @param cancelled aborts the calls
 * @throws a VendorError
 */
export async function callVendor(
  vendors: CalledVendors,
  { vendor, ...instruction }: QueriedInstruction & { vendor: PaymentVendor },
  cancelled?: AbortSignal,
): Promise<InstructionState> {
  const port = vendors[vendor];
  if (port === undefined) throw new VendorMisconfigured(`${vendor} has no address. Set ${vendor}_URL.`);
  const timeout = AbortSignal.timeout(paymentBudget.attemptMs);
  try {
    return await port.check(instruction, cancelled ? AbortSignal.any([timeout, cancelled]) : timeout);
  } catch (error) {
    if (timeout.aborted && !(error instanceof VendorError)) {
      throw new VendorUnavailable(`${vendor} did not answer within ${paymentBudget.attemptMs} ms.`);
    }
    throw error;
  }
}
