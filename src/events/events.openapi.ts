import { Type } from 'typebox';
import type { WebhookOpenApi } from '../platform/http/route-openapi.ts';
import { eventTypes } from '../vocabulary/events.ts';

export const EXAMPLE_CURSOR = '4711-3f0c6f0e';
const key = (description: string) => Type.Optional(Type.String({ description }));

/** An event as it is listed and delivered. */
export const cloudEvent = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Type.String({
      format: 'uuid',
      description: 'The same in every delivery of the event.',
      examples: ['3f0c6f0e-5f0e-4f5c-9d3a-1f1f2b7a9c10'],
    }),
    source: Type.String({
      description: 'The import supplier, as a relative URL.',
      examples: ['/import-suppliers/SUPPLIER_FR'],
    }),
    type: Type.String({
      enum: Object.keys(eventTypes),
      description: 'The type. New types may be added.',
      examples: ['import.account.created.v1'],
    }),
    subject: Type.String({
      description: 'The subject of the event. Events of one subject are in order.',
      examples: ['accounts/HOME-00000001'],
    }),
    time: Type.String({ format: 'date-time', examples: ['2026-03-02T09:30:00.123Z'] }),
    datacontenttype: Type.Literal('application/json'),
    cursor: Type.String({ description: 'Send it as `after` to list later events.', examples: [EXAMPLE_CURSOR] }),
    data: Type.Object(
      {
        import_supplier: Type.String(),
        external_account_number: key('Of an account.'),
        service_account_number: key('Number of a created account.'),
        external_business_identifier: key('Of a business.'),
        service_business_id: Type.Optional(Type.Integer({ description: 'Of a withdrawn business.' })),
        code: key('Why an account or a payment instruction was rejected.'),
        vendor: key('Of a payment instruction.'),
        type: key('Of a payment instruction.'),
        withdrawal_id: key('Of the withdrawal of an account or a business.'),
        job_id: key('Of an import job.'),
        paused_because: key('Of an import job that is paused.'),
        batch_id: key('Of a batch of supply points.'),
      },
      {
        description: 'Only keys. Query the API for the current data.',
        examples: [
          {
            import_supplier: 'SUPPLIER_FR',
            external_account_number: 'HOME-00000001',
            service_account_number: 'A-7KQ2M9XDT',
          },
        ],
      },
    ),
  },
  { title: 'Event', description: 'An event in the format of CloudEvents 1.0.' },
);

/** The delivery of an event to the address of a supplier (webhook.client.ts). */
export const eventWebhook: WebhookOpenApi = {
  operationId: 'receiveEvent',
  tag: 'Events',
  summary: 'Receive an event',
  description:
    'Sent to each address that operators have registered, according to Standard Webhooks. Verify the signature over the raw body before you use it. An event can arrive more than once; events of different subjects can arrive concurrently.',
  page: 'docs/suppliers/events.md',
  headers: {
    'webhook-id': {
      description: 'The `id` of the event.',
      example: '3f0c6f0e-5f0e-4f5c-9d3a-1f1f2b7a9c10',
      schema: { type: 'string', format: 'uuid' },
    },
    'webhook-timestamp': {
      description: 'Unix time of this delivery, in seconds. Reject deliveries that are older than five minutes.',
      example: '1772443800',
      schema: { type: 'string', pattern: '^[0-9]{1,12}$' },
    },
    'webhook-signature': {
      description:
        'One signature for each active secret, separated by blanks: `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64.',
      example: 'v1,ZXhhbXBsZSBvZiBhIHNpZ25hdHVyZSwgbm90IG9uZQ==',
    },
  },
  mediaType: 'application/cloudevents+json',
  schema: cloudEvent,
  replies: {
    '2XX': 'Received. Respond within 15 seconds, and process the event afterward.',
    '410': 'Ends the deliveries to this address.',
    default: 'Retried with growing pauses for a day, then daily.',
  },
};
