import { Type, type Static } from 'typebox';
import { requiredText, text } from '../platform/validation/field-types.schema.ts';

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

/** Body of the other calls that change an endpoint. */
export const changeEventEndpointSchema = Type.Object({ reason: Type.Optional(text(REASON_LENGTH_MAX)) });

export type ChangeEventEndpoint = Static<typeof changeEventEndpointSchema>;

/** An endpoint as operators see it; a secret is shown when it is made, and never again. */
export interface EventEndpointView {
  endpoint_id: string;
  import_supplier: string;
  /** The organisation whose jobs and batches are included. */
  organisation: string | null;
  /** A query is masked, because it may hold a token. */
  url: string;
  /** Until when the secret before the present one signs too. */
  old_secret_until: string | null;
  delivered_at: string | null;
  failing_since: string | null;
  failure: string | null;
  created_at: string;
  ended_at: string | null;
  ended_because: 'gone' | 'removed' | null;
}
