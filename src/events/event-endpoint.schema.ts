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
    description: 'Until when the secret before the present one signs too.',
  }),
  delivered_at: answeredText({ format: 'date-time' }),
  failing_since: answeredText({ format: 'date-time', description: 'Null while it takes what it is sent.' }),
  failure: answeredText({ description: 'Why it did not take the last one.' }),
  created_at: requiredInstant(),
  ended_at: answeredText({ format: 'date-time' }),
  ended_because: answeredText({ description: '`gone`: it answered 410. `removed`: an operator has ended it.' }),
};

/** An endpoint as operators see it. A query in its URL is masked, because it may contain a token. */
export const eventEndpointSchema = Type.Object(endpointMembers, { title: 'EventEndpoint' });
export type EventEndpointView = Static<typeof eventEndpointSchema>;

/** An endpoint with its secret and the query of its URL, which are shown only once. */
export const endpointWithSecretSchema = Type.Object(
  { ...endpointMembers, secret: Type.String({ description: 'Signs what is delivered; shown this once.' }) },
  { title: 'EventEndpointWithSecret' },
);
export type EndpointWithSecret = Static<typeof endpointWithSecretSchema>;

/** An endpoint with the events that it has not received yet. */
export const endpointWithWaitingSchema = Type.Object(
  {
    ...endpointMembers,
    events_waiting: Type.Integer({ description: 'Events that it has not taken yet; 1,000 at most are counted.' }),
    waiting_since: answeredText({ format: 'date-time', description: 'When the first of them happened.' }),
  },
  { title: 'EventEndpointWithWaiting' },
);
export type EndpointWithWaiting = Static<typeof endpointWithWaitingSchema>;
