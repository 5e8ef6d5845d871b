import type { ValidateFunction } from 'ajv';
import {
  VIOLATIONS_LISTED_MAX,
  violation,
  type Path,
  type Violation,
  NON_FIELD_ERRORS,
} from '../../vocabulary/violations.ts';
import { findBadText, findDamagedTexts, findTooDeep } from './bad-text.ts';
import { compileCopy, type Copy, type CopyPass } from './copy-by-schema.ts';
import { createAjv, FAULTS_COLLECTED_MAX } from './keywords.ts';
import { placeAt, type Place, type SchemaNode, allows, variantFor } from './schema-node.ts';
import { attrsOfWrongType, violationsOfErrors, type OpenValues } from './schema-violations.ts';
import type { Warning } from '../../vocabulary/warnings.ts';
import type { MaybePromise } from '../../foundation/maybe-promise.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { explainMissingMembers, findDroppedMembers, findUnknownMembers } from './unknown-members.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** With more schema violations, the cross-field rules are skipped, since the list of violations is cut anyway. */
const FORM_FAULTS_WITH_RULES_MAX = FAULTS_COLLECTED_MAX / 2;
const DAMAGED_TEXTS_LISTED_MAX = 100;

/** Functions that compile each registered check. */
const compilers: (() => unknown)[] = [];

/** Shared, because each instance compiles the meta-schema. */
const ajv = createAjv();

/** A payload after validation. `data` has the type T only if there are no violations. */
interface CheckedPayload<T> {
  /** The sent values without unknown members, with trimmed strings. */
  data: T;
  /** All violations in payload order, followed by unknown members of closed schemas; at most `VIOLATIONS_LISTED_MAX`. */
  violations: Violation[];
  /** Whether there are more violations than listed. */
  truncated: boolean;
  /** Unknown members that were dropped, unknown values of open sets, and damaged strings; empty if there are violations. */
  payloadWarnings: Warning[];
}

/** Options for reading the payloads of a sender. */
export interface PayloadOptions {
  /** A null in a documented member counts as absent. */
  nullMeansAbsent?: boolean;
  /** Value sets that are open for the sender. */
  openValueSets?: readonly string[];
}

/** Cross-field rules. They must accept invalid payloads, since they also run after schema violations. */
type PayloadRules<T, Facts> = (payload: T, facts: Facts) => Violation[];

/** Validates payloads of one kind. */
interface PayloadCheck<T, Facts> {
  (sent: unknown, facts: Facts, options?: PayloadOptions): CheckedPayload<T>;
  /** Validates the body of a request; each step of a large one gets its own time slice. */
  ofRequest(request: RequestToCheck, facts: Facts, options?: PayloadOptions): MaybePromise<CheckedPayload<T>>;
}

/** Parts of a request that validation reads. */
interface RequestToCheck {
  body: unknown;
  isLarge: boolean;
  /**
   * Whether the body contains no escapes, no numbers whose text is preserved, and no excessive nesting. Its strings then cannot contain
   * U+0000 or unpaired surrogates, and its numbers are short enough, so these checks are skipped.
   */
  isPlain?: boolean;
  yieldToEventLoop(): Promise<void>;
}

/**
 * Creates the validation of a payload: unknown members, nesting, copy by the schema, Ajv, then the rules. All violations are reported
 * together. Ajv compiles once per process: at the first payload, or by `compilePayloadChecks`.
 * @param schema a TypeBox schema of types from `field-types.schema.ts`
 * @param rules cross-field rules; their violations are omitted for fields with schema violations
 */
export function compilePayload<T, Facts = void>(
  schema: object,
  rules?: PayloadRules<T, Facts>,
): PayloadCheck<T, Facts> {
  const node = schema as SchemaNode;
  const copy = compileCopy(node);
  let known: CompiledCheck<T, Facts> | undefined;
  const compiled = () => (known ??= { node, rules, copy, validate: ajv.compile(withFaultCap(node)) });
  compilers.push(compiled);
  const check = (sent: unknown, facts: Facts, options?: PayloadOptions, isPlain = false): CheckedPayload<T> => {
    const steps = checkInSteps(compiled(), { sent, isPlain }, facts, options);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  };
  return Object.assign(check, {
    ofRequest: (request: RequestToCheck, facts: Facts, options?: PayloadOptions) => {
      const { body: sent, isLarge, isPlain = false, yieldToEventLoop } = request;
      if (!isLarge) return check(sent, facts, options, isPlain);
      return runInSteps(checkInSteps(compiled(), { sent, isPlain }, facts, options), yieldToEventLoop);
    },
  });
}

async function runInSteps<T>(steps: Generator<undefined, T>, yieldToEventLoop: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await yieldToEventLoop();
  }
}

/** Compiles all checks, so that the first requests of a process are as fast as later ones. */
export function compilePayloadChecks(): void {
  for (const compile of compilers) compile();
}

interface CompiledCheck<T, Facts> {
  node: SchemaNode;
  rules: PayloadRules<T, Facts> | undefined;
  copy: Copy;
  validate: ValidateFunction;
}

/** One validation; each `yield` is a point at which other work may run. */
function* checkInSteps<T, Facts>(
  { node, rules, copy, validate }: CompiledCheck<T, Facts>,
  { sent, isPlain }: { sent: unknown; isPlain: boolean },
  facts: Facts,
  options: PayloadOptions | undefined,
): Generator<undefined, CheckedPayload<T>> {
  const unknown = findUnknownMembers(sent, node);
  const tooDeep = isPlain ? undefined : findTooDeep(sent);
  if (tooDeep !== undefined) {
    const all = [violation('max_depth', documentedPart(tooDeep, sent, node)), ...unknown];
    return { data: {} as T, ...listed(all), payloadWarnings: [] };
  }
  const input = options?.nullMeansAbsent === true ? leaveOutNulls(sent, node) : sent;
  const open = { sets: options?.openValueSets ?? [], found: [] as Warning[] };
  const pass: CopyPass = { isPlain, openSets: open.sets, hasBadText: false, hasDropped: false, hasDamagedText: false };
  const data = copy(input, pass) as T;
  yield;
  const formFaults = yield* formViolations(data, pass, validate, open);
  yield;
  const shouldRunRules = rules !== undefined && isJsonObject(data) && formFaults.length < FORM_FAULTS_WITH_RULES_MAX;
  const ruleFaults = shouldRunRules ? rules(data, facts) : [];
  if (pass.hasDropped) yield;
  if (formFaults.length === 0 && ruleFaults.length === 0) {
    const dropped = pass.hasDropped && unknown.length === 0 ? findDroppedMembers(sent, node) : [];
    const damaged = pass.hasDamagedText ? findDamagedTexts(data, DAMAGED_TEXTS_LISTED_MAX) : [];
    return { data, ...listed(unknown), payloadWarnings: [...dropped, ...open.found, ...damaged] };
  }
  yield;
  const collected = withoutKnownPaths(formFaults, ruleFaults.slice(0, FAULTS_COLLECTED_MAX));
  const { violations, truncated } = listed([...inPayloadOrder(collected, input, node), ...unknown]);
  explainMissingMembers(violations, input, node);
  return { data, violations, truncated, payloadWarnings: [] };
}

function listed(all: readonly Violation[]): Pick<CheckedPayload<unknown>, 'violations' | 'truncated'> {
  return { violations: all.slice(0, VIOLATIONS_LISTED_MAX), truncated: all.length > VIOLATIONS_LISTED_MAX };
}

/** Violations of single values. Bad text takes precedence over schema violations. */
function* formViolations<T>(
  data: T,
  pass: CopyPass,
  validate: ValidateFunction,
  open: OpenValues,
): Generator<undefined, Violation[]> {
  if (validate(data) && !pass.hasBadText) return [];
  const errors = validate.errors ?? [];
  // Ajv keeps the errors of the last call together with the payload, which must not outlive its request.
  validate.errors = null;
  yield;
  const ofSchema = violationsOfErrors(errors, open);
  return pass.hasBadText
    ? withoutKnownPaths(
        relevantInvalidText(findBadText(data, FAULTS_COLLECTED_MAX), attrsOfWrongType(errors)),
        ofSchema,
      )
    : ofSchema;
}

/** Omits bad text in values of the wrong type, which are reported instead. */
function relevantInvalidText(badText: readonly Violation[], ofWrongType: ReadonlySet<string>): Violation[] {
  const isBelowWrongType = (attr: string) => {
    for (let end = attr.length; end > 0; end = attr.lastIndexOf('.', end - 1)) {
      if (ofWrongType.has(attr.slice(0, end))) return true;
    }
    return false;
  };
  return ofWrongType.size === 0 ? [...badText] : badText.filter(({ attr }) => !isBelowWrongType(attr));
}

/** Adds violations for paths without a more serious one. */
function withoutKnownPaths(graver: readonly Violation[], others: readonly Violation[]): Violation[] {
  if (graver.length === 0) return [...others];
  const paths = new Set(graver.map(({ attr }) => attr));
  return [...graver, ...others.filter(({ attr }) => !paths.has(attr))];
}

/** Cuts a path after its documented part, so that names within opaque values are not repeated. */
function documentedPart(path: Path, input: unknown, schema: SchemaNode): Path {
  let place: Place = { value: input, node: schema };
  for (const [level, segment] of path.entries()) {
    place = placeAt(place, segment);
    if (place.node === undefined) return path.slice(0, level);
  }
  return path;
}

/** Copies the schema with the keyword `faultCap` on each list item that is an object. */
function withFaultCap(node: SchemaNode, isItem = false): SchemaNode {
  const copy: SchemaNode = { ...node };
  if (isItem && node.type === 'object') copy.faultCap = FAULTS_COLLECTED_MAX;
  if (node.items !== undefined) copy.items = withFaultCap(node.items, true);
  if (node.oneOf !== undefined) copy.oneOf = node.oneOf.map((variant) => withFaultCap(variant));
  if (node.properties !== undefined) {
    copy.properties = Object.fromEntries(
      Object.entries(node.properties).map(([key, member]) => [key, withFaultCap(member)]),
    );
  }
  return copy;
}

/**
 * Omits documented members that are null although the schema does not allow null, because some serializers write null for missing values.
 * List items and opaque values are kept.
 * @returns the payload itself if nothing was omitted
 */
function leaveOutNulls(value: unknown, node: SchemaNode): unknown {
  if (node.opaque === true) return value;
  if (Array.isArray(value)) {
    const items = node.items;
    if (items === undefined) return value;
    const copy = value.map((item) => leaveOutNulls(item, items));
    return copy.some((item, index) => item !== value[index]) ? copy : value;
  }
  if (!isJsonObject(value)) return value;
  const properties = variantFor(node, value)?.properties;
  if (properties === undefined) return withoutNullTag(value, node.discriminator?.propertyName);
  const changed = new Map<string, unknown>();
  for (const [key, member] of Object.entries(properties)) {
    if (!Object.hasOwn(value, key)) continue;
    const kept = value[key] === null && !allows(member, 'null') ? undefined : leaveOutNulls(value[key], member);
    if (kept !== value[key]) changed.set(key, kept);
  }
  if (changed.size === 0) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const kept = changed.has(key) ? changed.get(key) : member;
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

/** Removes a discriminator that is null. */
function withoutNullTag(value: Readonly<Record<string, unknown>>, tag: string | undefined): unknown {
  if (tag === undefined || !Object.hasOwn(value, tag) || value[tag] !== null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== tag));
}

interface Placed {
  violation: Violation;
  position: number[];
}

/**
 * Sorts violations by position in the payload as sent: members in the order of their keys, then missing members in the order of the schema;
 * a violation of an object precedes those of its members.
 */
function inPayloadOrder(violations: readonly Violation[], sent: unknown, schema: SchemaNode): Violation[] {
  if (violations.length < 2) return [...violations];
  const ranks: Ranks = new Map();
  const placed = violations.map((violation): Placed => ({
    violation,
    position: positionOf(violation.attr, sent, schema, ranks),
  }));
  placed.sort((one, other) => comparePositions(one.position, other.position));
  return placed.map(({ violation }) => violation);
}

/** Rank of each key by object; cached, so that an object with many violations is ranked once. */
type Ranks = Map<object, Map<string, number>>;

/** Position of a path: one number per level. */
function positionOf(attr: string, sent: unknown, schema: SchemaNode, ranks: Ranks): number[] {
  const position: number[] = [];
  let place: Place = { value: sent, node: schema };
  for (const segment of attr.split('.')) {
    const { value, node } = place;
    if (Array.isArray(value)) position.push(Number(segment));
    else if (isJsonObject(value)) position.push(rankOf(segment, value, node && variantFor(node, value), ranks));
    else position.push(segment === NON_FIELD_ERRORS ? -1 : 0);
    place = placeAt(place, segment);
  }
  return position;
}

/** Rank of a member: sent members first, then those of the schema. */
function rankOf(segment: string, value: object, node: SchemaNode | undefined, ranks: Ranks): number {
  if (segment === NON_FIELD_ERRORS) return -1;
  let ofKeys = ranks.get(value);
  if (ofKeys === undefined) {
    ofKeys = new Map();
    for (const key of Object.keys(value)) ofKeys.set(key, ofKeys.size);
    for (const key of Object.keys(node?.properties ?? {})) if (!ofKeys.has(key)) ofKeys.set(key, ofKeys.size);
    ranks.set(value, ofKeys);
  }
  return ofKeys.get(segment) ?? ofKeys.size;
}

/** Compares two positions; the outer one comes first. */
function comparePositions(one: readonly number[], other: readonly number[]): number {
  const shared = Math.min(one.length, other.length);
  for (let level = 0; level < shared; level += 1) {
    if (one[level] !== other[level]) return one[level]! - other[level]!;
  }
  return one.length - other.length;
}

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
