import { Type, type Static } from 'typebox';
import { answeredText, opaqueValue, requiredInstant } from '../../platform/validation/field-types.schema.ts';

/** An audit entry as shown to operators. */
export const auditEntryView = Type.Object(
  {
    id: Type.String({ examples: ['0198c0de-0000-7000-8000-000000000003'] }),
    at: requiredInstant(),
    actor: Type.Object({
      key_id: answeredText({ examples: ['0198c0de-0000-7000-8000-000000000002'] }),
      name: Type.String({ examples: ['Support / console'] }),
    }),
    action: Type.String({ examples: ['import_supplier.changed'] }),
    subject: Type.String({ examples: ['import-suppliers/SUPPLIER_FR'] }),
    before: opaqueValue({ examples: [{ status: 'Ongoing' }] }),
    after: opaqueValue({ examples: [{ status: 'Paused' }] }),
    reason: answeredText({ examples: ['Wrong tariffs'] }),
  },
  { title: 'AuditEntry' },
);
export type AuditEntryView = Static<typeof auditEntryView>;
