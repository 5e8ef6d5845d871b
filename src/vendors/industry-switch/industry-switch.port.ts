import type { SupplyType } from '../../vocabulary/value-sets.ts';

/** A request to switch a supply point to us from a day on. */
export interface SwitchRequest {
  /** Identifies the request: a repeated id is processed once and gets the same response. */
  requestId: string;
  /** The account, which the network operator's messages name too. */
  importSupplier: string;
  externalAccountNumber: string;
  supplyPoint: string;
  supplyType: SupplyType;
  /** `YYYY-MM-DD` */
  startDate: string;
}

/** The response of the network operator. RECEIVED: a market message with the decision follows. */
export interface SwitchAnswer {
  answer: 'ACCEPTED' | 'RECEIVED' | 'REJECTED';
  /** By the network operator's clock, as in its market messages. */
  answeredAt: Date;
  /** For a rejection, a code of the network operator's list. */
  reason: string | null;
}

/** The industry switch: the network operators' common entry for changes of supplier. */
export interface IndustrySwitch {
  /**
   * Requests the switch of one point. A rejection is a result, not an error.
   * @param signal aborts the call
   * @throws VendorUnavailable, VendorBusy or VendorMisconfigured (vocabulary/vendor-errors.ts)
   */
  request(request: SwitchRequest, signal?: AbortSignal): Promise<SwitchAnswer>;
  close(): Promise<void>;
}
