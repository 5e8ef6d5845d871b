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
    found.push(violation('invalid', ['scope'], 'Only keys with the role operator can have a scope. Omit the scope.'));
  }
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= now) {
    found.push(
      violation('invalid', ['expires_at'], 'The key would already have expired. Send a timestamp in the future.'),
    );
  }
  if (isRestricted && Array.isArray(suppliers) && suppliers.length > 0) {
    found.push(
      violation(
        'invalid',
        ['import_suppliers'],
        'A key with a restricted scope cannot call the supplier API. Omit the import suppliers.',
      ),
    );
  }
  if (
    !isRestricted &&
    role === 'supplier' &&
    (suppliers === undefined || (Array.isArray(suppliers) && suppliers.length === 0))
  ) {
    found.push(
      violation(
        'empty',
        ['import_suppliers'],
        'A key with the role supplier can only be used for its import suppliers. Send at least one code.',
      ),
    );
  }
  return found;
}
