import type { Violation } from '../vocabulary/violations.ts';
import type { WaveRecord } from './wave.entity.ts';
import { orderFaults } from './wave.rules.ts';
import type { ChangePlanRequest, PlannedWave, WaveOptions } from './wave.schema.ts';

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
