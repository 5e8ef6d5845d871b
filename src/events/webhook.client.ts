import { promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { traced } from '../platform/traces/traces.ts';
import { networkCodeOf } from '../platform/vendor-http/vendor-faults.ts';
import { isAllowedAddress, isAllowedHost, cloudEventOf, type StoredEvent } from './event.rules.ts';
import { deliveryPace } from '../../temporal.config.ts';

/** The address and the signing secrets of an endpoint. */
interface Receiver {
  url: string;
  /** Two for a day after a change of the secret. */
  secrets: readonly string[];
}

/** `gone`: the receiver has unsubscribed. `why` never contains text of the receiver. */
type DeliveryOutcome = { kind: 'delivered' } | { kind: 'gone' } | { kind: 'failed'; why: string };

/** Delivers events according to Standard Webhooks. */
export interface WebhookClient {
  /** Sends one event. Never fails: errors are outcomes. @param signal aborts it, for example when its activity is cancelled */
  deliver(receiver: Receiver, event: StoredEvent, signal: AbortSignal): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}

const GONE = 410;
/** The responses of receivers are not used. At most this many bytes are read, so that the connection can be reused. */
const ANSWER_BYTES_MAX = 16_384;
/** Timeout and number of queries to a name server; the timeout of the delivery limits the total. */
const NAMES = { timeout: 3_000, tries: 2 };

class PrivateAddress extends Error {
  override name = 'PrivateAddress';
}

/**
 * Opens a client. Redirects are not followed, because they could lead to an address that was not checked.
 * @param options `allowsPrivate` also delivers to private addresses; `names` resolves host names, by the system's servers by default
 */
export function openWebhooks({
  allowsPrivate,
  names = new dns.Resolver(NAMES),
}: {
  allowsPrivate: boolean;
  names?: dns.Resolver;
}): WebhookClient {
  const agent = new Agent({
    // No limit per host: receivers of several suppliers may share one, and would time out waiting for a connection. The worker limits
    // deliveries.
    connections: null,
    connect: { timeout: deliveryPace.timeoutMs, lookup: checkedLookup(names, allowsPrivate) },
  });
  return {
    deliver: async (receiver, event, signal) => {
      const inTime = AbortSignal.timeout(deliveryPace.timeoutMs);
      try {
        // `checkedLookup` runs only when a connection to a name is opened, so IP addresses are checked here.
        if (!isAllowedHost(receiver.url, allowsPrivate)) throw new PrivateAddress();
        // The span omits the address, because it belongs to the supplier.
        const { statusCode, body } = await traced(
          () => ({
            name: 'webhook',
            kind: 'client',
            attributes: { 'peer.service': 'webhook', 'http.request.method': 'POST' },
          }),
          () =>
            request(receiver.url, {
              method: 'POST',
              dispatcher: agent,
              signal: AbortSignal.any([signal, inTime]),
              ...signedRequest(receiver, event),
            }),
        );
        await body.dump({ limit: ANSWER_BYTES_MAX });
        return outcomeOf(statusCode);
      } catch (error) {
        if (inTime.aborted) {
          return {
            kind: 'failed',
            why: `The receiver did not respond within ${deliveryPace.timeoutMs / 1_000} seconds.`,
          };
        }
        return { kind: 'failed', why: whyOf(error) };
      }
    },
    close: () => agent.close(),
  };
}

function signedRequest({ secrets }: Receiver, event: StoredEvent) {
  const body = JSON.stringify(cloudEventOf(event));
  const now = new Date();
  return {
    body,
    headers: {
      'content-type': 'application/cloudevents+json',
      'user-agent': 'gangway',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(event.id, now, body)).join(' '),
    },
  };
}

function outcomeOf(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  return status === GONE ? { kind: 'gone' } : { kind: 'failed', why: `The receiver responded with status ${status}.` };
}

function whyOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause ?? error;
  if (cause instanceof PrivateAddress) {
    return 'The host name of the receiver resolves to an address that is not public.';
  }
  return `The receiver cannot be reached (${networkCodeOf(cause)}).`;
}

/**
 * Resolves a name and connects to the checked addresses, because a second lookup could return others. One private address among public ones
 * rejects all of them.
 */
function checkedLookup(names: dns.Resolver, allowsPrivate: boolean): LookupFunction {
  return (name, options, callback) => {
    (allowsPrivate ? dns.lookup(name, { all: true }) : resolve(names, name)).then(
      (found) => {
        const isAllowed = found.every(({ address }) => isAllowedAddress(address, allowsPrivate));
        if (!isAllowed) callback(new PrivateAddress(), '', 0);
        else if (options.all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error: unknown) => callback(error as Error, '', 0),
    );
  };
}

/** Queries the name servers directly, because the system's lookup blocks a thread until a server responds. */
async function resolve(names: dns.Resolver, name: string): Promise<{ address: string; family: 4 | 6 }[]> {
  const [four, six] = await Promise.allSettled([names.resolve4(name), names.resolve6(name)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 as const })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 as const })) : []),
  ];
  if (found.length === 0) throw (four as PromiseRejectedResult).reason as Error;
  return found;
}
