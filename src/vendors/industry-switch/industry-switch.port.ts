import type { SupplyType } from '../../vocabulary/value-sets.ts';

/** Asks that a supply point be switched to us from a day on. */
export interface SwitchRequest {
  /** The same id again is the same request: it is taken once, and answered as it was. */
  requestId: string;
  /** The account that it is for; the network operator's messages name it again. */
  importSupplier: string;
  externalAccountNumber: string;
  supplyPoint: string;
  supplyType: SupplyType;
  /** `YYYY-MM-DD` */
  startDate: string;
}

/** What the network operator answers. RECEIVED: it will say by market message whether it accepts. */
export interface SwitchAnswer {
  answer: 'ACCEPTED' | 'RECEIVED' | 'REJECTED';
  /** By the network operator's clock, as in its market messages. */
  answeredAt: Date;
  /** Code of the network operator's list, for a refusal. */
  reason: string | null;
}

/** The industry switch: the network operators' common entry for changes of supplier. */
export interface IndustrySwitch {
  /**
   * Requests the switch of one point. A refusal is an answer, not a failure.
   * @param signal ends the call
   * @throws VendorUnavailable, VendorBusy or VendorMisconfigured (vocabulary/vendor-errors.ts)
   */
  request(request: SwitchRequest, signal?: AbortSignal): Promise<SwitchAnswer>;
  close(): Promise<void>;
}
