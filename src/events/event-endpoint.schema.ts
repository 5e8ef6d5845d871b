import { Type, type Static } from 'typebox';
import {
  answeredInstant,
  answeredText,
  requiredInstant,
  requiredText,
  text,
} from '../platform/validation/field-types.schema.ts';

const URL_LENGTH_MAX = 2_048;
const REASON_LENGTH_MAX = 1_000;

/** Body of `POST event-endpoints/`. */
export const createEventEndpointSchema = Type.Object({
  import_supplier: requiredText(32, 'no-control-characters'),
  url: requiredText(URL_LENGTH_MAX, 'no-control-characters'),
  organisation: Type.Optional(text(255, 'no-control-characters')),
  reason: Type.Optional(text(REASON_LENGTH_MAX)),
});

export type CreateEventEndpoint = Static<typeof createEventEndpointSchema>;

/** Body of the other requests that change an endpoint. */
export const changeEventEndpointSchema = Type.Object({ reason: Type.Optional(text(REASON_LENGTH_MAX)) });

export type ChangeEventEndpoint = Static<typeof changeEventEndpointSchema>;

/** The endpoint in examples. */
export const EXAMPLE_ENDPOINT = '0198c0de-0000-7000-8000-00000000000e';

const endpointMembers = {
  endpoint_id: Type.String({ examples: [EXAMPLE_ENDPOINT] }),
  import_supplier: Type.String(),
  organisation: answeredText({
    description: 'The organization whose import jobs and batches are included.',
    examples: ['Boréal Énergie'],
  }),
  url: Type.String({ examples: ['https://hooks.boreal.example/gangway'] }),
  old_secret_until: answeredInstant({
    description: 'Time until which the previous secret also signs; otherwise null.',
  }),
  delivered_at: answeredInstant({ examples: ['2026-11-20T16:59:00.000Z'] }),
  failing_since: answeredInstant({
    description: 'Time of the first failure since the last success; null while deliveries succeed.',
  }),
  failure: answeredText({ description: 'The failure of the last delivery.' }),
  created_at: requiredInstant({ examples: ['2026-11-02T09:00:00.000Z'] }),
  ended_at: answeredInstant(),
  ended_because: answeredText({ description: '`gone`: it responded with 410. `removed`: an operator removed it.' }),
};

/** An endpoint as operators see it. A query in its URL is masked, because it may contain a token. */
export const eventEndpointSchema = Type.Object(endpointMembers, { title: 'EventEndpoint' });
export type EventEndpointView = Static<typeof eventEndpointSchema>;

/** An endpoint with its secret and the query of its URL, which are shown only once. */
export const endpointWithSecretSchema = Type.Object(
  {
    ...endpointMembers,
    secret: Type.String({
      description: 'The secret that signs deliveries. It is shown only once.',
      examples: ['whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCwgbm90IG9uZQ=='],
    }),
  },
  { title: 'EventEndpointWithSecret' },
);
export type EndpointWithSecret = Static<typeof endpointWithSecretSchema>;

/** An endpoint with the events that it has not received yet. */
export const endpointWithWaitingSchema = Type.Object(
  {
    ...endpointMembers,
    events_waiting: Type.Integer({ description: 'Events to deliver, counted up to 1,000.', examples: [0] }),
    waiting_since: answeredInstant({ description: 'Time of the oldest event to deliver.' }),
  },
  { title: 'EventEndpointWithWaiting' },
);
export type EndpointWithWaiting = Static<typeof endpointWithWaitingSchema>;
