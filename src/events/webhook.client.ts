import { promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { traced } from '../platform/traces/traces.ts';
import { networkCodeOf } from '../platform/vendor-http/vendor-faults.ts';
import { isAllowedAddress, isAllowedHost } from './event-endpoint.rules.ts';
import { cloudEventOf, type StoredEvent } from './event.rules.ts';
import { deliveryPace } from '../../temporal.config.ts';

/** Where an event goes, and what signs it. */
interface Receiver {
  url: string;
  /** Two while the secret is changed. */
  secrets: readonly string[];
}

/** `gone`: the receiver has unsubscribed. `why` never contains text of the receiver. */
type DeliveryOutcome = { kind: 'delivered' } | { kind: 'gone' } | { kind: 'failed'; why: string };

/** Delivers events by the rules of Standard Webhooks. */
export interface WebhookClient {
  /** Sends one event. Never fails: errors are outcomes. @param signal aborts it, for example when its activity is cancelled */
  deliver(receiver: Receiver, event: StoredEvent, signal: AbortSignal): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}

const GONE = 410;
/** What a receiver answers is not read; so much is taken off the connection so that it can be used again. */
const ANSWER_BYTES_MAX = 16_384;
/** Timeout of each of two queries to a name server; the timeout of the delivery bounds the whole. */
const NAMES = { timeout: 3_000, tries: 2 };

class PrivateAddress extends Error {
  override name = 'PrivateAddress';
}

/**
 * Opens a client. Redirects are not followed, because they could lead to an address that was not checked.
 * @param options `allowsPrivate` delivers to private addresses too; `names` are looked up at the system's servers unless given
 */
export function openWebhooks({
  allowsPrivate,
  names = new dns.Resolver(NAMES),
}: {
  allowsPrivate: boolean;
  names?: dns.Resolver;
}): WebhookClient {
  const agent = new Agent({
    // No bound for each host: receivers of several suppliers may share one, and the wait for a connection would count as theirs. Deliveries at once are bounded by the worker.
    connections: null,
    connect: { timeout: deliveryPace.timeoutMs, lookup: checkedLookup(names, allowsPrivate) },
  });
  return {
    deliver: async (receiver, event, signal) => {
      const inTime = AbortSignal.timeout(deliveryPace.timeoutMs);
      try {
        // Names are looked up for a connection only.
        if (!isAllowedHost(receiver.url, allowsPrivate)) throw new PrivateAddress();
        // Not by its address, which is the supplier's.
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
          return { kind: 'failed', why: `It did not answer within ${deliveryPace.timeoutMs / 1_000} seconds.` };
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
  return status === GONE ? { kind: 'gone' } : { kind: 'failed', why: `It answered with status ${status}.` };
}

function whyOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause ?? error;
  if (cause instanceof PrivateAddress) return 'Its name leads to an address that is not public.';
  return `It cannot be reached (${networkCodeOf(cause)}).`;
}

/**
 * Looks up a name and passes the addresses that were checked to the connection: a second lookup could return others. One private
 * address among public ones rejects all of them.
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

/** Asks the name servers directly: the system's lookup holds a thread for as long as a server does not answer. */
async function resolve(names: dns.Resolver, name: string): Promise<{ address: string; family: 4 | 6 }[]> {
  const [four, six] = await Promise.allSettled([names.resolve4(name), names.resolve6(name)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 as const })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 as const })) : []),
  ];
  if (found.length === 0) throw (four as PromiseRejectedResult).reason as Error;
  return found;
}
