import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { Violation } from '../../vocabulary/violations.ts';
import { compilePayload } from './compile-payload.ts';

/**
 * Creates the validation of an operator's request. Unlike a supplier's payload it must not contain unknown members: silently dropping a
 * misspelled setting would let the operator believe that it applies.
 * @param schema a TypeBox object schema of types from `field-types.schema.ts`
 * @param rules validation beyond the schema; also called for bodies in which the schema has found violations
 * @returns a function that returns the validated data, or a refusal with all violations
 */
export function compileOperatorBody<T extends object>(
  schema: object,
  rules?: (body: T) => Violation[],
): (input: unknown) => T | Refused {
  const check = compilePayload<T>({ ...schema, additionalProperties: false }, rules);
  return (input) => {
    const { data, violations } = check(input);
    return violations.length === 0 ? data : refuse('validation_failed', { violations });
  };
}
