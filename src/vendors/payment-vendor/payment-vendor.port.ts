import type { PaymentInstructionType } from '../../vocabulary/value-sets.ts';

/** The instruction to check. */
export interface QueriedInstruction {
  reference: string;
  type: PaymentInstructionType;
  /** Identifies the shopper at vendors that look up instructions by shopper. */
  externalAccountNumber: string;
}

/** `not-yet`: the vendor has it and it is not rejected; `status` is a status of the vendor's published list. */
export type InstructionState = { kind: 'usable' } | { kind: 'not-yet'; status: string };

/** A payment vendor. gangway only queries instructions; it never creates, changes or charges them. */
export interface PaymentVendorPort {
  /**
   * Checks whether the instruction can be used for collections.
   * @param signal aborts the calls
   * @throws VendorRejected with one of our reasons if it can never be used; VendorUnavailable, VendorBusy, VendorMisconfigured
   */
  check(instruction: QueriedInstruction, signal: AbortSignal): Promise<InstructionState>;
  /** Closes idle connections. */
  close(): Promise<void>;
}
