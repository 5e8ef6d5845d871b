import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { eventTypes } from '../vocabulary/events.ts';
import {
  changeEventEndpointSchema,
  createEventEndpointSchema,
  endpointWithSecretSchema,
  endpointWithWaitingSchema,
  eventEndpointSchema,
} from './event-endpoint.schema.ts';

const EXAMPLE = {
  specversion: '1.0',
  id: '3f0c6f0e-5f0e-4f5c-9d3a-1f1f2b7a9c10',
  source: '/import-suppliers/SUPPLIER_FR',
  type: 'import.account.created.v1',
  subject: 'accounts/HOME-00000001',
  time: '2026-03-02T09:30:00.123Z',
  datacontenttype: 'application/json',
  cursor: '4711-3f0c6f0e',
  data: {
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'HOME-00000001',
    service_account_number: 'A-7KQ2M9XDT',
  },
};

const key = (description: string) => Type.Optional(Type.String({ description }));

/** An event as it is listed and delivered. */
const cloudEvent = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Type.String({ format: 'uuid', description: 'The same in every delivery of the event.' }),
    source: Type.String({ description: 'The import supplier, as a relative URL.' }),
    type: Type.String({ enum: Object.keys(eventTypes), description: 'The type. New types may be added.' }),
    subject: Type.String({ description: 'The subject of the event. Events of one subject are in order.' }),
    time: Type.String({ format: 'date-time' }),
    datacontenttype: Type.Literal('application/json'),
    cursor: Type.String({ description: 'Send it as `after` to list later events.' }),
    data: Type.Object(
      {
        import_supplier: Type.String(),
        external_account_number: key('Of an account.'),
        service_account_number: key('Number of a created account.'),
        external_business_identifier: key('Of a business.'),
        code: key('Why an account or a payment instruction was rejected.'),
        vendor: key('Of a payment instruction.'),
        type: key('Of a payment instruction.'),
        job_id: key('Of an import job.'),
        paused_because: key('Of an import job that is paused.'),
        batch_id: key('Of a batch of supply points.'),
      },
      { description: 'Only keys. Query the API for the current data.' },
    ),
  },
  { description: 'An event in the format of CloudEvents 1.0.' },
);

/** `GET events/`. */
export const listEventsOpenApi: RouteOpenApi = {
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'List events since a cursor',
  description:
    "The events of your key's import suppliers. Events of one account, business, job or batch are in the order in which they happened. Events of import jobs and batches are visible to keys of the same organization.",
  page: 'docs/suppliers/events.md',
  query: {
    after: {
      description:
        'The cursor of the last event that you have read. If omitted, the list starts with the oldest stored event.',
      example: EXAMPLE.cursor,
      schema: { type: 'string', minLength: 1, pattern: '^[0-9]{1,18}-[0-9a-f]{8}$' },
      violations: ['invalid'],
    },
    limit: {
      description: 'Events per page, 100 by default. The header Link leads to the next page while there may be more.',
      example: 100,
      schema: { type: 'integer', minimum: 1, maximum: 500 },
      violations: ['invalid'],
    },
  },
  replies: { 200: { description: 'The events.', hasLink: true, schema: Type.Array(cloudEvent), example: [EXAMPLE] } },
  refusals: ['validation_failed'],
};

/** `GET events/` of operators. */
export const listNewestEventsOpenApi: RouteOpenApi = {
  operationId: 'listNewestEvents',
  tag: 'Operations',
  summary: 'List the newest events of an import supplier or account',
  description:
    'Newest first, 50 a page, of all organizations. For one account, a page scans at most 5,000 events and can be empty; the header Link leads to earlier events.',
  page: 'docs/operators/suppliers-and-options.md#addresses-for-events',
  query: {
    import_supplier: {
      description: 'Code of the import supplier.',
      example: 'SUPPLIER_FR',
      isRequired: true,
      violations: ['required'],
    },
    external_account_number: { description: 'Only events of this account.', example: 'HOME-00000001' },
    before: {
      description: 'The cursor from the header Link of the previous page.',
      example: '4711',
      schema: { type: 'string', minLength: 1, pattern: '^[0-9]{1,18}$' },
      violations: ['invalid'],
    },
  },
  replies: { 200: { description: 'The events.', hasLink: true, schema: Type.Array(cloudEvent), example: [EXAMPLE] } },
  refusals: ['validation_failed'],
};

const PAGE = 'docs/operators/suppliers-and-options.md#addresses-for-events';

const ENDPOINT_EXAMPLE = {
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
const SECRET_EXAMPLE = { ...ENDPOINT_EXAMPLE, secret: 'whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCwgbm90IG9uZQ==' };
const endpointPath = {
  endpoint: { description: 'The `endpoint_id`.', example: ENDPOINT_EXAMPLE.endpoint_id },
} as const;

/** `POST event-endpoints/`. */
export const createEventEndpointOpenApi: RouteOpenApi = {
  operationId: 'createEventEndpoint',
  tag: 'Operations',
  summary: 'Register an endpoint for the events of an import supplier',
  description:
    'Delivers events from now on, according to Standard Webhooks. The secret is shown only once. Events of import jobs and batches are included for the named organisation, if any.',
  page: PAGE,
  request: createEventEndpointSchema,
  rules: { import_supplier: ['invalid_choice'], organisation: ['invalid_choice'], url: ['invalid'] },
  requestExamples: {
    endpoint: {
      import_supplier: ENDPOINT_EXAMPLE.import_supplier,
      url: ENDPOINT_EXAMPLE.url,
      organisation: ENDPOINT_EXAMPLE.organisation,
    },
  },
  replies: { 201: { description: 'The endpoint.', schema: endpointWithSecretSchema, example: SECRET_EXAMPLE } },
  refusals: ['validation_failed'],
};

/** `GET event-endpoints/`. */
export const listEventEndpointsOpenApi: RouteOpenApi = {
  operationId: 'listEventEndpoints',
  tag: 'Operations',
  summary: 'List endpoints with their delivery status',
  page: PAGE,
  replies: {
    200: {
      description: 'All endpoints without their secrets, ended ones last.',
      schema: Type.Array(eventEndpointSchema),
      example: [ENDPOINT_EXAMPLE],
    },
  },
  refusals: [],
};

/** `GET event-endpoints/<id>/`. */
export const findEventEndpointOpenApi: RouteOpenApi = {
  operationId: 'findEventEndpoint',
  tag: 'Operations',
  summary: 'Show an endpoint with its pending events',
  page: PAGE,
  path: endpointPath,
  replies: {
    200: {
      description: 'The endpoint. It may have ended.',
      schema: endpointWithWaitingSchema,
      example: { ...ENDPOINT_EXAMPLE, events_waiting: 0, waiting_since: null },
    },
  },
  refusals: ['not_found'],
};

/** `POST event-endpoints/<id>/secret/`. */
export const changeEventEndpointSecretOpenApi: RouteOpenApi = {
  operationId: 'changeEventEndpointSecret',
  tag: 'Operations',
  summary: 'Create a new secret for an endpoint',
  description: 'Both secrets sign for 24 hours. The new one is shown only once.',
  page: PAGE,
  path: endpointPath,
  request: changeEventEndpointSchema,
  requestExamples: { with_a_reason: { reason: 'Requested by the supplier' } },
  replies: { 201: { description: 'The endpoint.', schema: endpointWithSecretSchema, example: SECRET_EXAMPLE } },
  refusals: ['validation_failed', 'not_found'],
};

/** `DELETE event-endpoints/<id>/`. */
export const deleteEventEndpointOpenApi: RouteOpenApi = {
  operationId: 'deleteEventEndpoint',
  tag: 'Operations',
  summary: 'Remove an endpoint',
  description: 'Deliveries to it end. The supplier can still read its events.',
  page: PAGE,
  path: endpointPath,
  request: changeEventEndpointSchema,
  requestExamples: { with_a_reason: { reason: 'Requested by the supplier' } },
  replies: { 200: { description: 'The ended endpoint.', schema: eventEndpointSchema, example: ENDPOINT_EXAMPLE } },
  refusals: ['validation_failed', 'not_found'],
};
