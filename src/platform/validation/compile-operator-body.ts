import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { Violation } from '../../vocabulary/violations.ts';
import { compilePayload } from './compile-payload.ts';

/**
 * Makes the check of an operator's request. Unlike a supplier's payload it is closed: a misspelled setting that is dropped
 * silently would leave the operator believing that it is in force.
 * @param schema a TypeBox object schema made of the kinds in `field-types.schema.ts`
 * @param rules what the schema cannot express; they also get bodies in which the schema has found violations
 * @returns a function that returns the checked data, or a refusal with all violations
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
