import { Agent, type Dispatcher } from 'undici';

/** Client certificate and trusted authorities, in PEM format. */
export interface TlsFiles {
  cert?: string | undefined;
  key?: string | undefined;
  ca?: string | undefined;
}

/** Delays a call until its slot, if the party is rate limited. */
export interface SendSlot {
  /** Called when the connection is open and nothing is sent yet. Returns true once, within the slot; the call is then sent. */
  use(): boolean;
  /** Waits for the next slot. @throws NotSent if no slot becomes free */
  renew(): Promise<void>;
}

/** Maximum number of connections, and the time limit for opening one. */
interface AgentOptions {
  limits: { callsMax: number; timeoutMs: number };
  /** Returns the current files. */
  tls?: () => TlsFiles;
}

/** Connections to an outside party. */
export interface VendorAgent {
  /** Returns a dispatcher with the current certificates. When they change, old connections are closed after their requests. */
  now(): Dispatcher;
  /** Closes idle connections. */
  close(): Promise<void>;
}

/** Opens the connections to an outside party; the first call connects. */
export function openVendorAgent({ limits, tls }: AgentOptions): VendorAgent {
  const open = (files: TlsFiles | undefined) =>
    new Agent({ connections: limits.callsMax, connect: { timeout: limits.timeoutMs, ...files } });
  let files = tls?.();
  let agent = open(files);
  let turned = agent.compose(sendInSlot);
  return {
    now: () => {
      const next = tls?.();
      if (next?.cert !== files?.cert || next?.key !== files?.key || next?.ca !== files?.ca) {
        void agent.close();
        files = next;
        agent = open(files);
        turned = agent.compose(sendInSlot);
      }
      return turned;
    },
    close: () => agent.close(),
  };
}

/** The slot of a request had ended when its connection was open. */
export class SlotMissed extends Error {
  override name = 'SlotMissed';
}

interface SlotOptions extends Dispatcher.DispatchOptions {
  slot?: SendSlot | undefined;
}

/**
 * Checks the slot when the connection is open and nothing is written, because the time to connect is unknown. Throwing keeps the connection
 * for the next attempt; aborting would close it.
 */
const sendInSlot: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options: SlotOptions, handler) => {
  const { slot } = options;
  if (slot === undefined) return dispatch(options, handler);
  return dispatch(options, {
    onRequestStart: (controller, context) => {
      if (!slot.use()) throw new SlotMissed();
      handler.onRequestStart?.(controller, context);
    },
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  });
};
