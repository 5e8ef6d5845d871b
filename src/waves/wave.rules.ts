import { CLOSED_WAVES, ENDED_WAVES, type WaveStatus } from '../vocabulary/waves.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { membersIn } from '../vocabulary/loose-payload.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import type { Gate } from './gate.rules.ts';
import type { WaveRecord } from './wave.entity.ts';
import type { ChangePlanRequest, PlannedWave, WaveOptions } from './wave.schema.ts';

/** Whether the status is final. */
export function hasWaveEnded(status: WaveStatus): boolean {
  return ENDED_WAVES.includes(status);
}

/** Whether accounts can join, leave or be excluded. */
export function takesAccounts(status: WaveStatus): boolean {
  return !CLOSED_WAVES.includes(status);
}

/** Whether the plan can be changed: until the creation begins, and after it for accounts that are still to be created. */
export function takesPlan({ status, creationJobId }: Pick<WaveRecord, 'status' | 'creationJobId'>, pending: number) {
  if (status === 'CREATED') return pending > 0;
  return status === 'PREPARING' || status === 'SCHEDULED' || (status === 'PAUSED' && creationJobId === null);
}

/** The refusal of a change that the status of a wave does not allow. @param verb what was asked for, such as "be created" */
export function statusForbids(status: WaveStatus, verb: string): Refused {
  return refuse('wave_status_forbids', { detail: `The status of the wave is ${status}, so that it cannot ${verb}.` });
}

/** The refusal of a step before a gate that is not passed. */
export function gateNotPassed({ name, evidence, link }: Gate): Refused {
  return refuse('wave_gate_not_passed', {
    detail: `The gate ${name} is not passed: ${evidence}`,
    extras: { gate: name, link },
  });
}

/** Cross-field rules of a new wave. The schema has not been checked yet. */
export function findWaveViolations(
  request: { import_supplier?: unknown; plan?: unknown; options?: unknown },
  { importSuppliers }: { importSuppliers: ReadonlySet<string> },
): Violation[] {
  const found: Violation[] = [];
  const { import_supplier: supplier } = request;
  if (typeof supplier === 'string' && supplier !== '' && !importSuppliers.has(supplier)) {
    found.push(violation('invalid_choice', ['import_supplier'], 'Your API key has no import supplier with this code.'));
  }
  found.push(...orderFaults(membersIn(request.plan)));
  const failures = membersIn(request.options)['stop_after_failures'];
  const { count, percent } = membersIn(failures);
  if (failures !== undefined && count === undefined && percent === undefined) {
    found.push(violation('required', ['options', 'stop_after_failures'], 'Send count, percent or both.'));
  }
  return found;
}

/** Faults of a plan that ends before it begins. */
function orderFaults(plan: Readonly<Record<string, unknown>>): Violation[] {
  return [
    ...orderFault(plan, 'create_from', 'create_until'),
    ...orderFault(plan, 'supply_start_from', 'supply_start_to'),
  ];
}

function orderFault(plan: Readonly<Record<string, unknown>>, from: string, to: string): Violation[] {
  const [begin, end] = [Date.parse(String(plan[from])), Date.parse(String(plan[to]))];
  // A plan may begin and end on the same day, but not at the same moment.
  const isReversed = from === 'create_from' ? end <= begin : end < begin;
  return isReversed ? [violation('invalid', ['plan', to], `The plan ends before it begins (${from}).`)] : [];
}

/**
 * Checks whether the pending accounts can be created within the plan.
 * @param measured accounts per second of the supplier's last large creation; undefined if nothing was measured
 */
export function planTooShort(
  plan: { createFrom: Date | null; createUntil: Date | null; options: { max_per_second?: number } },
  pending: number,
  measured: number | undefined,
  now: Date,
): Refused | undefined {
  if (plan.createUntil === null) return undefined;
  const begins = Math.max(now.getTime(), plan.createFrom?.getTime() ?? 0);
  const seconds = Math.max(0, (plan.createUntil.getTime() - begins) / 1_000);
  const limits = [measured, plan.options.max_per_second].filter((limit) => limit !== undefined);
  const rate = limits.length === 0 ? undefined : Math.min(...limits.map(Number));
  if (seconds > 0 && (rate === undefined || pending / rate <= seconds)) return undefined;
  const needed = rate === undefined ? undefined : Math.ceil(pending / rate);
  return refuse('wave_plan_too_short', {
    detail:
      needed === undefined || rate === undefined
        ? 'The plan ends before the creation can begin. Change its create_until.'
        : `${pending} accounts need ${needed} s at ${Math.round(rate)} a second; the plan leaves ${Math.floor(seconds)} s.`,
  });
}

type StoredPlan = Pick<
  WaveRecord,
  'createFrom' | 'createUntil' | 'supplyStartFrom' | 'supplyStartTo' | 'expectedAccounts' | 'options'
>;

/** What is planned for a wave. */
export function plannedOf(wave: StoredPlan): PlannedWave {
  return {
    plan: {
      create_from: wave.createFrom?.toISOString() ?? null,
      create_until: wave.createUntil?.toISOString() ?? null,
      supply_start_from: wave.supplyStartFrom,
      supply_start_to: wave.supplyStartTo,
      expected_accounts: wave.expectedAccounts,
    },
    options: wave.options,
  };
}

/** The plan of a wave after a request: absent members stay, null removes a value. */
export function changedPlan(wave: StoredPlan, { plan = {}, options = {} }: ChangePlanRequest): StoredPlan {
  const { stop_after_failures: stop, ...others } = options;
  const stopAfter = stop && merged(wave.options.stop_after_failures ?? {}, stop);
  const isStopRemoved = stopAfter !== undefined && Object.keys(stopAfter).length === 0;
  const changed = merged(wave.options, {
    ...others,
    ...(stopAfter !== undefined && { stop_after_failures: isStopRemoved ? null : stopAfter }),
  });
  return {
    createFrom: instantAfter(wave.createFrom, plan.create_from),
    createUntil: instantAfter(wave.createUntil, plan.create_until),
    supplyStartFrom: after(wave.supplyStartFrom, plan.supply_start_from),
    supplyStartTo: after(wave.supplyStartTo, plan.supply_start_to),
    expectedAccounts: after(wave.expectedAccounts, plan.expected_accounts),
    // Numbers whose text is preserved become numbers.
    options: JSON.parse(JSON.stringify(changed)) as WaveOptions,
  };
}

/** Cross-field rules of a changed plan. */
export function findPlanViolations(wave: StoredPlan): Violation[] {
  return orderFaults({ ...plannedOf(wave).plan });
}

/** The members that differ between two plans, such as `plan.create_until`, with their values for the audit. */
export function planDifferences(
  one: StoredPlan,
  other: StoredPlan,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const [was, is] = [membersOf(plannedOf(one)), membersOf(plannedOf(other))];
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => comparable(was.get(name)) !== comparable(is.get(name)),
  );
  const valuesOf = (members: ReadonlyMap<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, members.get(name) ?? null]));
  return { before: valuesOf(was), after: valuesOf(is) };
}

/** A value as text, with the members of an object in a fixed order. */
function comparable(value: unknown): string {
  const isObject = typeof value === 'object' && value !== null;
  return JSON.stringify(
    isObject ? Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)) : (value ?? null),
  );
}

function membersOf({ plan, options }: PlannedWave): Map<string, unknown> {
  const of = (group: string, members: object) =>
    Object.entries(members).map(([name, value]): [string, unknown] => [`${group}.${name}`, value]);
  return new Map([...of('plan', plan), ...of('options', options)]);
}

/** An empty string counts as absent. */
function after<Value>(value: Value | null, sent: Value | null | undefined): Value | null {
  return sent === undefined || sent === '' ? value : sent;
}

function instantAfter(value: Date | null, sent: string | null | undefined): Date | null {
  if (sent === undefined || sent === '') return value;
  return sent === null ? null : new Date(sent);
}

/** Members of an object after a change; null removes one. */
function merged(members: object, change: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...members, ...change }).filter(([, value]) => value !== null));
}
