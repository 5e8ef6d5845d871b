import { keyScopes } from '../../vocabulary/key-roles.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import type { CreateApiKey } from './api-key.schema.ts';

/** Finds violations of a new key beyond its schema. Other members of the body may be invalid. */
export function findKeyViolations(
  { role, scope, expires_at: expiresAt, import_suppliers: suppliers }: CreateApiKey,
  now = Date.now(),
): Violation[] {
  const found: Violation[] = [];
  // The schema has already rejected an unknown scope.
  const isRestricted = typeof scope === 'string' && scope !== 'all' && Object.hasOwn(keyScopes, scope);
  if (isRestricted && role === 'supplier') {
    found.push(
      violation('invalid', ['scope'], 'Only keys of the role operator can be restricted; leave the scope out.'),
    );
  }
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= now) {
    found.push(
      violation('invalid', ['expires_at'], 'The key would have expired already; send an instant in the future.'),
    );
  }
  if (isRestricted && Array.isArray(suppliers) && suppliers.length > 0) {
    found.push(
      violation('invalid', ['import_suppliers'], 'A restricted key makes no calls for suppliers; leave them out.'),
    );
  }
  return found;
}
