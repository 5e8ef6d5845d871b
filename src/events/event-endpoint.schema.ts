import { Type, type Static } from 'typebox';
import { answeredText, requiredInstant, requiredText, text } from '../platform/validation/field-types.schema.ts';

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

const endpointMembers = {
  endpoint_id: Type.String(),
  import_supplier: Type.String(),
  organisation: answeredText({ description: 'The organization whose import jobs and batches are included.' }),
  url: Type.String(),
  old_secret_until: answeredText({
    format: 'date-time',
    description: 'Time until which the previous secret also signs; otherwise null.',
  }),
  delivered_at: answeredText({ format: 'date-time' }),
  failing_since: answeredText({
    format: 'date-time',
    description: 'Time of the first failure since the last success; null while deliveries succeed.',
  }),
  failure: answeredText({ description: 'The failure of the last delivery.' }),
  created_at: requiredInstant(),
  ended_at: answeredText({ format: 'date-time' }),
  ended_because: answeredText({ description: '`gone`: it responded with 410. `removed`: an operator removed it.' }),
};

/** An endpoint as operators see it. A query in its URL is masked, because it may contain a token. */
export const eventEndpointSchema = Type.Object(endpointMembers, { title: 'EventEndpoint' });
export type EventEndpointView = Static<typeof eventEndpointSchema>;

/** An endpoint with its secret and the query of its URL, which are shown only once. */
export const endpointWithSecretSchema = Type.Object(
  {
    ...endpointMembers,
    secret: Type.String({ description: 'The secret that signs deliveries. It is shown only once.' }),
  },
  { title: 'EventEndpointWithSecret' },
);
export type EndpointWithSecret = Static<typeof endpointWithSecretSchema>;

/** An endpoint with the events that it has not received yet. */
export const endpointWithWaitingSchema = Type.Object(
  {
    ...endpointMembers,
    events_waiting: Type.Integer({ description: 'Events to deliver, counted up to 1,000.' }),
    waiting_since: answeredText({ format: 'date-time', description: 'Time of the oldest event to deliver.' }),
  },
  { title: 'EventEndpointWithWaiting' },
);
export type EndpointWithWaiting = Static<typeof endpointWithWaitingSchema>;
