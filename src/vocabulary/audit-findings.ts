import { setOf } from './value-sets.ts';

/** Differences between the audit and its chain. */
export const auditFindingKinds = setOf('own', [
  'entry_changed',
  'entry_deleted',
  'entry_inserted',
  'entry_backdated',
  'block_changed',
  'block_missing',
  'signature_invalid',
  'anchor_changed',
  'anchor_missing',
]);
