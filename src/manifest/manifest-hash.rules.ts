import { hash } from 'node:crypto';
import { canonicalJson } from '../reconciliation/compare/canonical-json.rules.ts';

/** SHA-256 of a manifest as canonical JSON: members in the order of their names, without white space. */
export function sha256Of(manifest: unknown): string {
  return hash('sha256', canonicalJson(JSON.stringify(manifest)), 'hex');
}
