import { Agent, type Dispatcher } from 'undici';

/** Client certificate and trusted authorities, PEM. */
export interface TlsFiles {
  cert?: string | undefined;
  key?: string | undefined;
  ca?: string | undefined;
}

/** Delays a call to its slot if the party is rate limited. */
export interface SendTurn {
  /** Asked when the connection is there and nothing is sent yet: true once, while it is time; the call is then sent. */
  use(): boolean;
  /** Waits for the next slot. @throws NotSent if no slot becomes free */
  renew(): Promise<void>;
}

/** How many connections, and for how long one may take to be there. */
interface AgentOptions {
  limits: { callsMax: number; timeoutMs: number };
  /** The current ones. */
  tls?: () => TlsFiles;
}

/** What calls go over. */
export interface VendorAgent {
  /** Uses the current certificates. When they change, old connections are closed after their requests. */
  now(): Dispatcher;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

/** Opens the connections to one outside party; nothing is connected before the first call. */
export function openVendorAgent({ limits, tls }: AgentOptions): VendorAgent {
  const open = (files: TlsFiles | undefined) =>
    new Agent({ connections: limits.callsMax, connect: { timeout: limits.timeoutMs, ...files } });
  let files = tls?.();
  let agent = open(files);
  let turned = agent.compose(holdToTurn);
  return {
    now: () => {
      const next = tls?.();
      if (next?.cert !== files?.cert || next?.key !== files?.key || next?.ca !== files?.ca) {
        void agent.close();
        files = next;
        agent = open(files);
        turned = agent.compose(holdToTurn);
      }
      return turned;
    },
    close: () => agent.close(),
  };
}

/** The turn of a request was over when its connection was there. */
export class TurnMissed extends Error {
  override name = 'TurnMissed';
}

interface TurnedOptions extends Dispatcher.DispatchOptions {
  turn?: SendTurn | undefined;
}

/**
 * Looks at the turn at the last moment, when a connection is there and nothing is written: connecting takes as long as the
 * party likes. Throwing lets the connection live for the next try; aborting would end it.
 */
const holdToTurn: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options: TurnedOptions, handler) => {
  const { turn } = options;
  if (turn === undefined) return dispatch(options, handler);
  return dispatch(options, {
    onRequestStart: (controller, context) => {
      if (!turn.use()) throw new TurnMissed();
      handler.onRequestStart?.(controller, context);
    },
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  });
};
