import { describingSets } from '../vocabulary/value-sets.ts';
import { violation, type Path, type Violation } from '../vocabulary/violations.ts';
import type { ClosedValueSets } from './closed-value-set.rules.ts';
import type { KnownSupplier } from './supplier-directory.store.ts';

/** The describing sets that operators have closed for a supplier: option `closed_value_sets`. */
export function closedValueSetsOf(supplier: KnownSupplier | undefined): ClosedValueSets | undefined {
  return supplier?.options['closed_value_sets'] as ClosedValueSets | undefined;
}

/** Whether operators want each document path of a supplier to be looked up before it is taken: option `check_documents`. */
export function checksDocuments(supplier: KnownSupplier): boolean {
  return supplier.options['check_documents'] === true;
}

/** A longer name is not written whole into an `attr`. */
const SET_NAME_SHOWN_MAX = 64;

const switches = ['check_documents', 'industry_switch'] as const;

/**
 * What is wrong with the options that we act on. The others are the operators' own, and null takes any of them away. One
 * of the wrong form would be passed over in silence, or fail the requests of the supplier.
 */
export function findOptionViolations(options: Readonly<Record<string, unknown>>): Violation[] {
  const found: Violation[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === null) continue;
    if (switches.some((known) => known === name) && typeof value !== 'boolean') found.push(violation('invalid', ['options', name], 'Send true or false, or null to take the option away.'));
    if (name === 'closed_value_sets') found.push(...closedValueSetViolations(value, ['options', name]));
  }
  return found;
}

function closedValueSetViolations(closed: unknown, path: Path): Violation[] {
  if (typeof closed !== 'object' || closed === null || Array.isArray(closed) || JSON.isRawJSON(closed)) return [violation('not_a_dict', path)];
  return Object.entries(closed).flatMap(([set, values]): Violation[] => {
    // What a client made up is not repeated at any length.
    const place = [...path, set.slice(0, SET_NAME_SHOWN_MAX).toWellFormed()];
    if (!Object.hasOwn(describingSets, set)) return [violation('invalid', place, `There is no such set; the sets are ${Object.keys(describingSets).join(', ')}.`)];
    const isListOfTexts = Array.isArray(values) && values.every((value) => typeof value === 'string' && value !== '');
    return isListOfTexts ? [] : [violation('invalid', place, 'Send the values that are taken, as a list of texts; a set that is left out stays open.')];
  });
}
