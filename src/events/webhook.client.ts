import { lookup, promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { traced } from '../platform/traces/traces.ts';
import { networkCodeOf } from '../platform/vendor-http/vendor-faults.ts';
import { cloudEventOf, type StoredEvent } from './cloud-event.rules.ts';
import { deliveryPace } from './delivery-budget.rules.ts';

/** Where an event goes, and what signs it. */
interface Receiver {
  url: string;
  /** Two while the secret is changed. */
  secrets: readonly string[];
}

/** `gone`: the receiver wants no more. `why` is a sentence of ours without anything that the receiver said. */
type DeliveryOutcome = { kind: 'delivered' } | { kind: 'gone' } | { kind: 'failed'; why: string };

/** Delivers events by the rules of Standard Webhooks. */
export interface WebhookClient {
  /** Sends one event. Never fails: what goes wrong is an outcome. @param signal ends it early, as when its activity is cancelled */
  deliver(receiver: Receiver, event: StoredEvent, signal: AbortSignal): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}

const GONE = 410;
/** What a receiver answers is not read; so much is taken off the connection so that it can be used again. */
const ANSWER_BYTES_MAX = 16_384;
/** Each server of names is asked twice for so long; the whole is bounded by the time of the delivery. */
const NAMES = { timeout: 3_000, tries: 2 };

class PrivateAddress extends Error {
  override name = 'PrivateAddress';
}

/** Tells an address that anybody on the internet could call from those of our own network, this machine, and all that are reserved. */
export function isPublicAddress(address: string): boolean {
  // An IPv4 address in the clothes of an IPv6 one is judged as what it is.
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/**
 * Opens a client. Redirects are not followed: they would lead where nobody has judged the address.
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
    connect: { timeout: deliveryPace.timeoutMs, lookup: allowsPrivate ? lookup : judgedLookup(names) },
  });
  return {
    deliver: async (receiver, event, signal) => {
      const inTime = AbortSignal.timeout(deliveryPace.timeoutMs);
      try {
        if (!allowsPrivate) judgeLiteral(receiver.url);
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

/** Names are looked up for a connection alone; an address in their place is judged before. */
function judgeLiteral(url: string): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host) && !isPublicAddress(host)) throw new PrivateAddress();
}

/**
 * Looks up a name, and gives the connection the addresses that it has judged: asked a second time, the name could lead
 * elsewhere. One private address among public ones refuses all. Not by the system's own way, which holds a thread for as long as a
 * server of names is silent.
 */
function judgedLookup(names: dns.Resolver): LookupFunction {
  return (name, options, callback) => {
    Promise.allSettled([names.resolve4(name), names.resolve6(name)]).then(
      ([four, six]) => {
        const found = [
          ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
          ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
        ];
        const [first] = found;
        if (first === undefined) callback((four as PromiseRejectedResult).reason as Error, '', 0);
        else if (!found.every(({ address }) => isPublicAddress(address))) callback(new PrivateAddress(), '', 0);
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, '', 0),
    );
  };
}
