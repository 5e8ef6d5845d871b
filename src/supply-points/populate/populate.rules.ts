import type { Caller } from '../../platform/http/route.ts';
import { violation, VIOLATIONS_LISTED_MAX, type Violation } from '../../vocabulary/violations.ts';
import { isPce, isPrm } from '../../vocabulary/wire-forms.ts';

/** What these rules read of the request; it may be wrong in every other way. */
interface Identifiers {
  prm_ids?: unknown;
  pce_ids?: unknown;
  import_supplier?: unknown;
}

/** Most identifiers of one request, both lists together (the schema has the same for each). */
const TOGETHER_MAX = 100_000;

/** Cross-field rules of operation 14: something is asked for, not too much, every identifier has its form, and the supplier is the caller's. */
export function findPopulateViolations(
  request: Identifiers,
  { importSuppliers }: Pick<Caller, 'importSuppliers'>,
): Violation[] {
  const [prms, pces] = [textsOf(request.prm_ids), textsOf(request.pce_ids)];
  const found = [...malformed(prms, 'prm_ids', isPrm), ...malformed(pces, 'pce_ids', isPce)];
  const together = prms.length + pces.length;
  if (together === 0) found.unshift(violation('empty', [], 'Send at least one identifier in prm_ids or pce_ids.'));
  if (together > TOGETHER_MAX) {
    found.unshift(
      violation(
        'max_length',
        [],
        `Both lists together may have at most ${TOGETHER_MAX} identifiers; send the rest in another request.`,
      ),
    );
  }
  const { import_supplier: supplier } = request;
  const isStranger = typeof supplier === 'string' && supplier !== '' && !importSuppliers.has(supplier);
  if (isStranger) {
    found.unshift(
      violation('invalid_choice', ['import_supplier'], 'There is no import supplier of this code for your key.'),
    );
  }
  return found;
}

function malformed(
  identifiers: readonly unknown[],
  list: 'prm_ids' | 'pce_ids',
  isWellFormed: (text: string) => boolean,
): Violation[] {
  const found: Violation[] = [];
  for (let index = 0; index < identifiers.length && found.length <= VIOLATIONS_LISTED_MAX; index += 1) {
    const identifier = identifiers[index];
    if (typeof identifier === 'string' && !isWellFormed(identifier)) {
      found.push(violation(list === 'prm_ids' ? 'invalid_prm' : 'invalid_pce', [list, index]));
    }
  }
  return found;
}

function textsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What a batch asks for, each identifier once. */
export interface WantedIdentifiers {
  prms: string[];
  pces: string[];
  warnings: BatchWarnings;
}

/** What looks wrong about a batch and does not stop it. A PRM and a PCE have the same form, so a swap shows only here. */
export interface BatchWarnings {
  /** Identifiers that stood more than once in a list; each is asked for once. */
  repeated: number;
  /** Identifiers that stand in both lists: how many, and the first of them. */
  in_both_lists: { count: number; identifiers: string[] };
}

const BOTH_LISTED_MAX = 100;

/** Takes each identifier once, and notes what looks wrong. */
export function wantedOf(prmIds: readonly string[], pceIds: readonly string[]): WantedIdentifiers {
  const [prms, pces] = [new Set(prmIds), new Set(pceIds)];
  const both = [...prms].filter((identifier) => pces.has(identifier));
  return {
    prms: [...prms],
    pces: [...pces],
    warnings: {
      repeated: prmIds.length - prms.size + pceIds.length - pces.size,
      in_both_lists: { count: both.length, identifiers: both.slice(0, BOTH_LISTED_MAX) },
    },
  };
}
