import { Type } from 'typebox';
import { idCursor } from '../../platform/http/cursor-schema.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, opaqueValue, requiredInstant } from '../../platform/validation/field-types.schema.ts';

const dateOrTimestamp = { type: 'string', minLength: 1, anyOf: [{ format: 'date' }, { format: 'date-time' }] };

export const listAuditOpenApi: RouteOpenApi = {
  operationId: 'listAudit',
  tag: 'Operations',
  summary: 'List audit entries',
  query: {
    limit: {
      description: 'Maximum number of entries.',
      example: 100,
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
      violations: ['invalid'],
    },
    subject: {
      description: 'Path of the changed resource below /v1/operations/.',
      example: 'import-suppliers/SUPPLIER_FR',
    },
    action: { description: '`<noun>.<verb in the past>`.', example: 'import_supplier.changed' },
    actor: { description: 'The person, or `<organization> / <key>`.', example: 'Support / console' },
    account: {
      description: '`<import supplier>/<external number>`: entries about this account.',
      example: 'SUPPLIER_FR/A-1',
    },
    from: {
      description: 'First date or timestamp, inclusive.',
      example: '2026-11-20',
      schema: dateOrTimestamp,
      violations: ['invalid'],
    },
    to: {
      description: 'Last date, inclusive, or a timestamp, exclusive.',
      example: '2026-11-22',
      schema: dateOrTimestamp,
      violations: ['invalid'],
    },
    cursor: {
      description: 'The cursor from the header Link of the previous page.',
      example: '0198c0de-0000-7000-8000-000000000003',
      schema: idCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description:
        'Newest first. With some combinations of filters, a page scans at most 20,000 entries and can be empty; the header Link then leads to earlier entries.',
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
