import { Type, type Static } from 'typebox';
import {
  answeredInstant,
  answeredInteger,
  answeredText,
  requiredChoice,
  requiredInstant,
  text,
} from '../platform/validation/field-types.schema.ts';
import { auditFindingKinds } from '../vocabulary/audit-findings.ts';

export const EXAMPLE_VERIFICATION = '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5d';

/** A difference between the audit and its chain. */
const auditFindingSchema = Type.Object(
  {
    kind: requiredChoice(auditFindingKinds, { examples: ['entry_changed'] }),
    day: answeredText({ format: 'date', description: 'UTC day of the block.', examples: ['2026-11-20'] }),
    block: answeredInteger({ description: 'Number of the block.', examples: [4_711] }),
    entry_id: answeredText({ examples: ['0198c0de-0000-7000-8000-000000000003'] }),
    detail: Type.String({ examples: ['The entry differs from its digest.'] }),
  },
  { title: 'AuditFinding' },
);
export type AuditFinding = Static<typeof auditFindingSchema>;

const verificationMembers = {
  verification_id: Type.String({ format: 'uuid', examples: [EXAMPLE_VERIFICATION] }),
  started_by: Type.String({ examples: ['Support / console'] }),
  started_at: requiredInstant({ examples: ['2026-11-22T14:00:00.000Z'] }),
  completed_at: answeredInstant({ description: 'Null while parts are left.', examples: ['2026-11-22T14:00:21.000Z'] }),
  blocks: Type.Integer({ description: 'Verified blocks so far.', examples: [12_400] }),
  entries: Type.Integer({ description: 'Verified entries so far.', examples: [48_210] }),
  unsigned_blocks: Type.Integer({
    description: 'Verified blocks without a signature, because no key was configured.',
    examples: [0],
  }),
  finding_count: Type.Integer({ description: 'Differences so far.', examples: [0] }),
};

/** A verification with its first findings. */
const verification = Type.Object({
  ...verificationMembers,
  findings: Type.Array(auditFindingSchema, { description: 'At most the first 100.', examples: [[]] }),
});
export type AuditVerificationView = Static<typeof verification>;

const UUID_LENGTH = 36;

/** Body of `POST audit/verifications/`. */
export const continueVerificationSchema = Type.Object({
  /** Continues this verification; without it, one begins. */
  verification_id: Type.Optional(text(UUID_LENGTH)),
});
export type ContinueVerification = Static<typeof continueVerificationSchema>;

/** A verification after one step, with the findings of the step. */
export const verificationStepSchema = Type.Object(
  {
    ...verificationMembers,
    findings: Type.Array(auditFindingSchema, { description: 'Those of this step.', examples: [[]] }),
  },
  { title: 'AuditVerificationStep' },
);

/** An anchor as operators see it. */
const anchorMembers = Type.Object({
  day: Type.String({ format: 'date', description: 'UTC day.', examples: ['2026-11-20'] }),
  first_block: Type.Integer({ examples: [12_001] }),
  last_block: Type.Integer({ description: 'One below `first_block` on a day without entries.', examples: [12_400] }),
  entries: Type.Integer({ examples: [48_210] }),
  start_hash: Type.String({ description: 'Hash of the last block before the day.', examples: ['00'.repeat(32)] }),
  hash: Type.String({ description: 'Hash of the last block of the day.', examples: ['5f'.repeat(32)] }),
  jws: answeredText({ description: 'The signed anchor (a compact JWS); null without a key.' }),
});
export const auditAnchorSchema = Type.Object(anchorMembers.properties, { title: 'AuditAnchor' });
export type AuditAnchorView = Static<typeof anchorMembers>;

/** The state of the chain. */
export const auditChainSchema = Type.Object(
  {
    last_block: Type.Integer({ description: 'Number of the last block; 0 before the first.', examples: [12_400] }),
    hash: Type.String({ description: 'Hash of the last block.', examples: ['5f'.repeat(32)] }),
    entries: Type.Integer({ description: 'Number of entries that were ever sealed.', examples: [48_210] }),
    sealed_at: answeredInstant({ description: 'Time of the last block.', examples: ['2026-11-22T14:00:00.000Z'] }),
    unsealed_since: answeredInstant({ description: 'Time of the oldest entry that is in no block yet.' }),
    is_signed: Type.Boolean({ description: 'Whether the last block is signed.', examples: [true] }),
    last_anchor: Type.Unsafe<AuditAnchorView | null>({
      ...anchorMembers,
      type: ['object', 'null'],
      description: 'Anchor of the last day that ended; null before the first.',
    }),
    last_verification: Type.Unsafe<AuditVerificationView | null>({
      ...verification,
      type: ['object', 'null'],
      description: 'The last complete verification; null before the first.',
    }),
  },
  { title: 'AuditChain' },
);
export type AuditChainView = Static<typeof auditChainSchema>;
