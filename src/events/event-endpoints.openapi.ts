import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { changeEventEndpointSchema, createEventEndpointSchema } from './event-endpoint.schema.ts';

const PAGE = 'docs/operators/suppliers-and-options.md#addresses-for-events';

const endpointMembers = {
  endpoint_id: Type.String(),
  import_supplier: Type.String(),
  organisation: answeredText({ description: 'The organisation whose import jobs and batches are included.' }),
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
const endpointSchema = Type.Object(endpointMembers, { title: 'EventEndpoint' });
const withSecret = Type.Object(
  { ...endpointMembers, secret: Type.String({ description: 'Signs what is delivered; shown this once.' }) },
  { title: 'EventEndpointWithSecret' },
);

const EXAMPLE = {
  endpoint_id: '0198c0de-0000-7000-8000-00000000000e',
  import_supplier: 'SUPPLIER_FR',
  organisation: 'Boréal Énergie',
  url: 'https://hooks.boreal.example/gangway',
  old_secret_until: null,
  delivered_at: '2026-11-20T16:59:00.000Z',
  failing_since: null,
  failure: null,
  created_at: '2026-11-02T09:00:00.000Z',
  ended_at: null,
  ended_because: null,
};
const SECRET_EXAMPLE = { ...EXAMPLE, secret: 'whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCwgbm90IG9uZQ==' };
const endpointPath = { endpoint: { description: 'The `endpoint_id`.', example: EXAMPLE.endpoint_id } } as const;

/** `POST event-endpoints/`. */
export const createEventEndpointOpenApi: RouteOpenApi = {
  operationId: 'createEventEndpoint',
  tag: 'Operations',
  summary: 'Have the events of an import supplier delivered to an address',
  description:
    'Delivers events from now on, by the rules of Standard Webhooks. The secret is shown only once. Events of import jobs and batches are included for the named organisation, if any.',
  page: PAGE,
  request: createEventEndpointSchema,
  rules: { import_supplier: ['invalid_choice'], organisation: ['invalid_choice'], url: ['invalid'] },
  requestExamples: {
    endpoint: { import_supplier: EXAMPLE.import_supplier, url: EXAMPLE.url, organisation: EXAMPLE.organisation },
  },
  replies: { 201: { description: 'The endpoint.', schema: withSecret, example: SECRET_EXAMPLE } },
  refusals: ['validation_failed'],
};

/** `GET event-endpoints/`. */
export const listEventEndpointsOpenApi: RouteOpenApi = {
  operationId: 'listEventEndpoints',
  tag: 'Operations',
  summary: 'See where events are delivered to, and how that goes',
  page: PAGE,
  replies: {
    200: {
      description: 'All endpoints, without their secrets; those that have ended come last.',
      schema: Type.Array(endpointSchema),
      example: [EXAMPLE],
    },
  },
  refusals: [],
};

/** `GET event-endpoints/<id>/`. */
export const findEventEndpointOpenApi: RouteOpenApi = {
  operationId: 'findEventEndpoint',
  tag: 'Operations',
  summary: 'See one endpoint, and what waits for it',
  page: PAGE,
  path: endpointPath,
  replies: {
    200: {
      description: 'The endpoint, ended or not.',
      schema: Type.Object(
        {
          ...endpointMembers,
          events_waiting: Type.Integer({ description: 'Events that it has not taken yet; 1,000 at most are counted.' }),
          waiting_since: answeredText({ format: 'date-time', description: 'When the first of them happened.' }),
        },
        { title: 'EventEndpointWithWaiting' },
      ),
      example: { ...EXAMPLE, events_waiting: 0, waiting_since: null },
    },
  },
  refusals: ['not_found'],
};

/** `POST event-endpoints/<id>/secret/`. */
export const changeEventEndpointSecretOpenApi: RouteOpenApi = {
  operationId: 'changeEventEndpointSecret',
  tag: 'Operations',
  summary: 'Give an endpoint a new secret',
  description: 'Both secrets sign for 24 hours. The new one is shown this once.',
  page: PAGE,
  path: endpointPath,
  request: changeEventEndpointSchema,
  requestExamples: { with_a_reason: { reason: 'Asked for by the supplier' } },
  replies: { 201: { description: 'The endpoint.', schema: withSecret, example: SECRET_EXAMPLE } },
  refusals: ['validation_failed', 'not_found'],
};

/** `DELETE event-endpoints/<id>/`. */
export const deleteEventEndpointOpenApi: RouteOpenApi = {
  operationId: 'deleteEventEndpoint',
  tag: 'Operations',
  summary: 'End an endpoint',
  description: 'Nothing more is delivered to it. The events can still be read.',
  page: PAGE,
  path: endpointPath,
  request: changeEventEndpointSchema,
  requestExamples: { with_a_reason: { reason: 'Asked for by the supplier' } },
  replies: { 200: { description: 'The endpoint as it is then.', schema: endpointSchema, example: EXAMPLE } },
  refusals: ['validation_failed', 'not_found'],
};
