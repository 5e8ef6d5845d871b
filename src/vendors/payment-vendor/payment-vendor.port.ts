import type { PaymentInstructionType } from '../../vocabulary/value-sets.ts';

/** What a vendor is asked about. */
export interface AskedInstruction {
  reference: string;
  type: PaymentInstructionType;
  /** Names the shopper at vendors that look instructions up by shopper. */
  externalAccountNumber: string;
}

/** `not-yet`: the vendor has it and it is not rejected; `status` is a status of the vendor's published list. */
export type InstructionState = { kind: 'usable' } | { kind: 'not-yet'; status: string };

/** A payment vendor. gangway asks about instructions and never makes, changes or charges any. */
export interface PaymentVendorPort {
  /**
   * Asks whether the instruction can be used for collections.
   * @param signal ends the calls
   * @throws VendorRejected when it never can be, with one of our reasons; VendorUnavailable, VendorBusy, VendorMisconfigured
   */
  check(instruction: AskedInstruction, signal: AbortSignal): Promise<InstructionState>;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}
