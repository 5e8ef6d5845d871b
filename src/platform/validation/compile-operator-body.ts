import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { shownName, violation, type Violation } from '../../vocabulary/violations.ts';
import { compilePayload } from './compile-payload.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * Makes the check of an operator's request. Other than a supplier's payload it may hold no unknown members: a misspelt
 * setting that is silently dropped would leave the operator believing that it is in force.
 * @param schema a TypeBox object schema made of the kinds in `field-types.schema.ts`
 * @param rules what the schema cannot say; they must bear a body that it has found fault with
 * @returns a function that gives the checked data, or a refusal with every fault
 */
export function compileOperatorBody<T extends object>(
  schema: object,
  rules?: (body: T) => Violation[],
): (input: unknown) => T | Refused {
  const check = compilePayload<T>(schema, rules);
  const known = new Set(Object.keys((schema as SchemaNode).properties ?? {}));
  return (input) => {
    const { data, violations } = check(input);
    const unknown = isJsonObject(input) ? Object.keys(input).filter((key) => !known.has(key)) : [];
    const all = [...violations, ...unknown.map((key) => unknownMember(key, known))];
    return all.length === 0 ? data : refuse('validation_failed', { violations: all });
  };
}

function unknownMember(key: string, known: ReadonlySet<string>) {
  const taken = known.size === 0 ? 'none is taken here' : `the fields are ${[...known].join(', ')}`;
  return violation('invalid', [shownName(key)], `There is no such field; ${taken}.`);
}
