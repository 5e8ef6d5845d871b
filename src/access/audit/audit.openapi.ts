import { Type } from 'typebox';
import { idCursor } from '../../platform/http/cursor-schema.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, opaqueValue, requiredInstant } from '../../platform/validation/field-types.schema.ts';

const dateOrTimestamp = { type: 'string', minLength: 1, anyOf: [{ format: 'date' }, { format: 'date-time' }] };

/** `GET audit/`. */
export const listAuditOpenApi: RouteOpenApi = {
  operationId: 'listAudit',
  tag: 'Operations',
  summary: 'See who changed what',
  query: {
    limit: {
      description: 'Most entries to list.',
      example: 100,
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
      violations: ['invalid'],
    },
    subject: {
      description: 'Path below /v1/operations/ of what was changed.',
      example: 'import-suppliers/SUPPLIER_FR',
    },
    action: { description: '`<noun>.<verb in the past>`.', example: 'import_supplier.changed' },
    actor: { description: 'Who: the person, or `<organisation> / <key>`.', example: 'Support / console' },
    account: {
      description: '`<import supplier>/<external number>`: what was done about the account by its number.',
      example: 'SUPPLIER_FR/A-1',
    },
    from: {
      description: 'A date or a timestamp; entries of this moment are included.',
      example: '2026-11-20',
      schema: dateOrTimestamp,
      violations: ['invalid'],
    },
    to: {
      description: 'A date, whose entries are included, or a timestamp, whose entries are not.',
      example: '2026-11-22',
      schema: dateOrTimestamp,
      violations: ['invalid'],
    },
    cursor: {
      description: 'As in the header Link of the page before.',
      example: '0198c0de-0000-7000-8000-000000000003',
      schema: idCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description:
        'The newest changes first. Where two filters are given that no index has together, a page looks through 20,000 entries and may be empty; the header Link then leads further back.',
      hasLink: true,
      schema: Type.Array(
        Type.Object(
          {
            id: Type.String(),
            at: requiredInstant(),
            actor: Type.Object({ key_id: answeredText(), name: Type.String() }),
            action: Type.String(),
            subject: Type.String(),
            before: opaqueValue(),
            after: opaqueValue(),
            reason: answeredText(),
          },
          { title: 'AuditEntry' },
        ),
      ),
      example: [
        {
          id: '0198c0de-0000-7000-8000-000000000003',
          at: '2026-11-20T17:00:00.000Z',
          actor: { key_id: '0198c0de-0000-7000-8000-000000000002', name: 'Support / console' },
          action: 'import_supplier.changed',
          subject: 'import-suppliers/SUPPLIER_FR',
          before: { status: 'Ongoing' },
          after: { status: 'Paused' },
          reason: 'Wrong tariffs',
        },
      ],
    },
  },
  refusals: ['validation_failed'],
};
