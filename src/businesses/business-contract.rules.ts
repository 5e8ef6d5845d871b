import { dayOf, listOf, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { violation, type Path, type Violation } from '../vocabulary/violations.ts';

/**
 * Validates the contracts of one payload: each label once, and the versions of each contract.
 * @param contracts the list as sent, of any type
 * @param path of the list in the payload
 */
export function findBusinessContractViolations(contracts: unknown, path: Path): Violation[] {
  const found: Violation[] = [];
  const labels = new Set<string>();
  for (const [index, item] of listOf(contracts).entries()) {
    const contract = membersIn(item);
    const label = textOf(contract['identifier']);
    if (label !== '' && labels.has(label)) {
      found.push(violation('duplicate_contract_identifiers', [...path, index, 'identifier']));
    }
    labels.add(label);
    checkVersions(
      dayOf(contract['valid_from_date']),
      listOf(contract['versions']),
      [...path, index, 'versions'],
      found,
    );
  }
  return found;
}

/** The earliest version applies from the contract's first day, and no two from the same day. Their order is free. */
function checkVersions(validFrom: string, versions: readonly unknown[], path: Path, found: Violation[]): void {
  const days = new Set<string>();
  let earliest = '';
  let areAllKnown = true;
  for (const [index, version] of versions.entries()) {
    const applicableAt = dayOf(membersIn(version)['applicable_at_date']);
    if (applicableAt === '') {
      areAllKnown = false;
      continue;
    }
    if (days.has(applicableAt)) {
      found.push(
        violation('unique', [...path, index, 'applicable_at_date'], 'Another version applies from the same day.'),
      );
    }
    days.add(applicableAt);
    if (earliest === '' || applicableAt < earliest) earliest = applicableAt;
  }
  // A version without a readable day might be the earliest one; the schema has named it.
  if (areAllKnown && earliest !== '' && validFrom !== '' && earliest !== validFrom) {
    found.push(violation('contract_versions_does_not_include_current', path));
  }
}
