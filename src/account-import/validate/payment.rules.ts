import { dayOf, listOf, membersIn, textOf, type Loose } from '../../vocabulary/loose-payload.ts';
import { decimalFault } from '../../vocabulary/wire-forms.ts';
import { violation, type Path, type Violation } from '../../vocabulary/violations.ts';

/**
 * Validates the payment schedules of a supply point: amounts are greater than zero, and no two start on the same day.
 * @param pointPath path of the supply point
 */
export function checkPaymentSchedules(schedules: unknown, pointPath: Path, found: Violation[]): void {
  const starts = new Set<string>();
  for (const [index, item] of listOf(schedules).entries()) {
    const { amount, start_date: sentStart } = membersIn(item);
    checkAmount(amount, [...pointPath, 'payment_schedules', index, 'amount'], found);
    const start = dayOf(sentStart);
    if (start !== '' && starts.has(start)) {
      found.push(violation('payment_schedule_date_overlaps', [...pointPath, 'payment_schedules', index, 'start_date']));
    }
    starts.add(start);
  }
}

/** The schema reports malformed decimals. */
function checkAmount(sent: unknown, path: Path, found: Violation[]): void {
  if ((typeof sent !== 'number' && typeof sent !== 'string') || decimalFault(sent) !== undefined) return;
  const amount = Number(sent);
  if (amount === 0) found.push(violation('zero_payment_schedule_amount', path));
  else if (amount < 0) {
    found.push(violation('min_value', path, 'The amount of a payment schedule must be greater than zero.'));
  }
}

/** Validates payment preferences: each refers to a different point of the payload, and to an instruction if its type requires one. */
export function findPaymentPreferenceViolations(payload: Loose): Violation[] {
  const preferences = listOf(payload['payment_preferences']);
  if (preferences.length === 0) return [];
  const found: Violation[] = [];
  const instructions = instructionsByPoint(payload);
  const knownPoints = new Set<string>();
  for (const [index, item] of preferences.entries()) {
    const preference = membersIn(item);
    const path = ['payment_preferences', index];
    const point = textOf(preference['supply_point_identifier']);
    if (point !== '' && !instructions.has(point)) {
      found.push(violation('supply_point_not_found', [...path, 'supply_point_identifier']));
    } else if (point !== '' && knownPoints.has(point)) {
      found.push(
        violation('unique', [...path, 'supply_point_identifier'], 'A supply point has at most one payment preference.'),
      );
    }
    knownPoints.add(point);
    checkInstructionParams(preference, instructions.get(point), path, found);
  }
  return found;
}

/** Paths of payment preferences in a valid payload whose instruction is not on any point of the account. */
export function findUnresolvedPreferences(payload: Loose): Path[] {
  const preferences = listOf(payload['payment_preferences']);
  if (preferences.length === 0) return [];
  const known = new Set([...instructionsByPoint(payload).values()].flatMap((keys) => [...keys]));
  return preferences.flatMap((item, index) => {
    const { type, instruction_reference_params: params } = membersIn(item);
    const { vendor_name: vendor, vendor_reference: reference } = membersIn(params);
    const isResolved = type === 'PASSIVE' || known.has(instructionKey(textOf(vendor), textOf(reference)));
    return isResolved ? [] : [['payment_preferences', index, 'instruction_reference_params']];
  });
}

/** Keys of the instructions of each point of the payload. */
function instructionsByPoint(payload: Loose): Map<string, Set<string>> {
  const byPoint = new Map<string, Set<string>>();
  for (const address of listOf(payload['supply_addresses'])) {
    for (const item of listOf(membersIn(address)['supply_points'])) {
      const point = membersIn(item);
      const identifier = textOf(point['identifier']);
      if (identifier === '') continue;
      const keys = byPoint.get(identifier) ?? new Set();
      byPoint.set(identifier, keys);
      for (const instruction of listOf(point['payment_instructions'])) {
        const { vendor, reference } = membersIn(instruction);
        keys.add(instructionKey(textOf(vendor), textOf(reference)));
      }
    }
  }
  return byPoint;
}

/** Combines vendor and reference, neither of which contains U+0000. */
function instructionKey(vendor: string, reference: string): string {
  return `${vendor}\0${reference}`;
}

/** ACTIVE_* requires the parameters, PASSIVE forbids them, and ACTIVE_NEW must refer to an instruction of the point. */
function checkInstructionParams(
  preference: Loose,
  known: Set<string> | undefined,
  path: Path,
  found: Violation[],
): void {
  const { type, instruction_reference_params: params } = preference;
  const instructionPath = [...path, 'instruction_reference_params'];
  if (type === 'PASSIVE') {
    if (params !== undefined) {
      found.push(
        violation('fields_are_mutually_exclusive', instructionPath, 'A PASSIVE preference names no instruction.'),
      );
    }
    return;
  }
  if (type !== 'ACTIVE_NEW' && type !== 'ACTIVE_EXISTING') return;
  if (params === undefined) found.push(violation('required', instructionPath));
  // Whether the instruction of ACTIVE_EXISTING exists is known only after the import.
  if (type === 'ACTIVE_EXISTING' || known === undefined) return;
  const vendor = textOf(membersIn(params)['vendor_name']);
  const reference = textOf(membersIn(params)['vendor_reference']);
  if (vendor !== '' && reference !== '' && !known.has(instructionKey(vendor, reference))) {
    found.push(
      violation('active_new_payment_preference_invalid_instruction_identifier', [
        ...instructionPath,
        'vendor_reference',
      ]),
    );
  }
}
