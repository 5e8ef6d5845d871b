import type { Context } from 'koa';
import {
  evidenceInFrench,
  frenchRemedyOf,
  frenchSentenceOf,
  inFrench,
  type Language,
} from '../../vocabulary/french.ts';
import { refusals, type RefusalCode } from '../../vocabulary/refusals.ts';
import { gateSentences } from '../../vocabulary/waves.ts';

const OPERATIONS = '/v1/operations/';

/**
 * The language of messages in a response: French if the client prefers it. Codes, paths and structure are the same in both. Calls of
 * operators are answered in English.
 */
export function answerLanguage(ctx: Context): Language {
  const header = ctx.get('accept-language');
  if (header === '' || !/fr/i.test(header) || ctx.url.startsWith(OPERATIONS)) return 'en';
  return prefersFrench(header) ? 'fr' : 'en';
}

/** Whether French has a higher weight than English in an Accept-Language header; for equal weights, whether it comes first. */
export function prefersFrench(header: string): boolean {
  const ranges = header.split(',').map((range, index) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { language: tag.split('-', 1)[0]!, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0, index };
  });
  const best = (language: string) =>
    ranges
      .filter((range) => range.language === language)
      .toSorted((one, other) => other.weight - one.weight || one.index - other.index)[0];
  const french = best('fr');
  const english = best('en') ?? best('*');
  if (french === undefined || french.weight === 0) return false;
  if (english === undefined || french.weight > english.weight) return true;
  return french.weight === english.weight && french.index < english.index;
}

/** The body of a refusal in French. A detail that is not known follows the sentence of its code. */
export function frenchRefusal(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { errors, warnings } = body;
  return {
    ...body,
    ...frenchMessages(body, true),
    ...(Array.isArray(errors)
      ? { errors: errors.map((one: object) => ({ ...one, ...frenchMessages(one, true) })) }
      : {}),
    ...(Array.isArray(warnings) ? { warnings: translate(warnings) } : {}),
  };
}

/** The title of a code, in French. */
export function frenchTitle(code: RefusalCode): string {
  return frenchSentenceOf(code) ?? refusals[code].sentence;
}

/**
 * The messages of a successful response in French: warnings, causes, errors of records, and evidence of gates.
 * @returns undefined if it has none
 */
export function frenchAnswer(json: string): string | undefined {
  if (!(json.includes('"detail"') && json.includes('"code"')) && !json.includes('"evidence"')) return undefined;
  // Numbers keep all their digits.
  const parsed: unknown = JSON.parse(json, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value,
  );
  return JSON.stringify(translate(parsed));
}

/** Translates the messages in a value: those of objects with a code, and the evidence of gates. */
function translate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translate);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, translate(member)] as const);
  return { ...Object.fromEntries(members), ...frenchMessages(value, false), ...frenchEvidence(value) };
}

function frenchEvidence(value: object): Record<string, string> {
  const { name, evidence } = value as Record<string, unknown>;
  if (typeof evidence !== 'string' || typeof name !== 'string' || !Object.hasOwn(gateSentences, name)) return {};
  return { evidence: evidenceInFrench(evidence) ?? evidence };
}

/**
 * The members of an object with a code that have a translation.
 * @param isRefused adds the French sentence of the code to a detail without translation
 */
function frenchMessages(value: object, isRefused: boolean): Record<string, string> {
  const { code, detail, remedy, error_detail: errorDetail, is_warning: isWarning } = value as Record<string, unknown>;
  if (typeof code !== 'string') return {};
  const sentence = isRefused ? frenchSentenceOf(code) : undefined;
  const french = (text: string) => inFrench(text) ?? (sentence === undefined ? text : `${sentence} (${text})`);
  return {
    ...(typeof detail === 'string' ? { detail: french(detail) } : {}),
    ...(typeof errorDetail === 'string' ? { error_detail: french(errorDetail) } : {}),
    ...(typeof remedy === 'string' ? { remedy: frenchRemedyOf(code, isWarning === true) ?? remedy } : {}),
  };
}

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const PROBLEM_TYPE = 'application/problem+json';

/**
 * Returns whether the client accepts JSON. The most specific matching range decides; other parameters are ignored.
 * @param isGraphql whether the path also responds with the media type of GraphQL over HTTP
 */
export function acceptsJson(accept: string, isGraphql = false): boolean {
  if (accept === '' || accept === '*/*' || accept === JSON_TYPE) return true;
  const weights = weightsIn(accept);
  const weight = weights.get(JSON_TYPE) ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  // Clients that accept only problems or only NDJSON also get JSON: successes have no problem form, and refusals no NDJSON form.
  const isAccepted = (type: string) => (weights.get(type) ?? 0) > 0;
  return (
    weight > 0 ||
    (!weights.has(JSON_TYPE) && (isAccepted(PROBLEM_TYPE) || isAccepted(NDJSON_TYPE))) ||
    (isGraphql && isAccepted(GRAPHQL_TYPE))
  );
}

/** Returns whether the client requests errors in the format of RFC 9457; `application/*` does not request it. */
export function wantsProblem(accept: string): boolean {
  return accept.includes('problem+json') && (weightsIn(accept).get(PROBLEM_TYPE) ?? 0) > 0;
}

function weightsIn(accept: string): Map<string, number> {
  return new Map(
    accept
      .toLowerCase()
      .split(',')
      .map((range) => {
        const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return [type, weight === undefined ? 1 : Number(weight.slice(2))] as const;
      }),
  );
}
