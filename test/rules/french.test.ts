import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { tokenRefusals } from '../../src/access/tokens/obtain-token.rules.ts';
import { causeView } from '../../src/import-jobs/results/cause.rules.ts';
import { frenchAnswer, frenchRefusal, prefersFrench } from '../../src/platform/http/answer-language.ts';
import { evidenceInFrench, frenchRemedyOf, frenchSentenceOf, inFrench } from '../../src/vocabulary/french.ts';
import { frenchDetails } from '../../src/vocabulary/french-details.ts';
import { frenchGates } from '../../src/vocabulary/french-gates.ts';
import { lineFaultSentences } from '../../src/vocabulary/import-jobs.ts';
import { remedyOf } from '../../src/vocabulary/remedies.ts';
import { refusals } from '../../src/vocabulary/refusals.ts';
import { violationSentences } from '../../src/vocabulary/violations.ts';
import { warningSentences } from '../../src/vocabulary/warnings.ts';

const SRC = join(import.meta.dirname, '../../src');
const errorCodes = [
  ...new Set([...Object.keys(refusals), ...Object.keys(violationSentences), ...Object.keys(lineFaultSentences)]),
];

test.each([
  ['fr', true],
  ['fr-FR', true],
  ['FR-ca', true],
  ['fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7', true],
  ['fr, en', true],
  ['en, fr', false],
  ['en;q=0.5, fr;q=0.6', true],
  ['en;q=0.9, fr;q=0.8', false],
  ['de, fr;q=0.1', true],
  ['fr;q=0.1, *', false],
  ['*, fr', false],
  ['fr, *', true],
  ['fr;q=0', false],
  ['fr;q=x', false],
  ['en;q=0, fr;q=0.2', true],
  ['de', false],
  ['*', false],
  ['frr', false],
  ['', false],
  [',;,', false],
])('reads the languages of %j', (header, isFrench) => {
  expect(prefersFrench(header)).toBe(isFrench);
});

test('has a French sentence for every reason why no token is issued', () => {
  const sentences = Object.values(tokenRefusals).map(({ errorDescription }) => errorDescription);
  expect(sentences.filter((text) => inFrench(text) === undefined)).toEqual([]);
});

test('translates the evidence of gates', () => {
  expect(evidenceInFrench('3 invalid, 1 skipped. Correct them, or exclude them with a reason.')).toBe(
    'Comptes non valides\u00a0: 3, à ignorer\u00a0: 1. Corrigez-les, ou excluez-les en indiquant un motif.',
  );
  expect(inFrench('The gate valid is not passed: 1 quarantined. Correct them, or exclude them with a reason.')).toBe(
    'L’étape de contrôle valid n’est pas franchie\u00a0: Comptes en quarantaine\u00a0: 1. Corrigez-les, ou excluez-les en indiquant un motif.',
  );
  const gate = { name: 'created', state: 'open', evidence: '1 of 3 accounts are created.', link: null };
  expect(JSON.parse(frenchAnswer(JSON.stringify({ gates: [gate] }))!)).toEqual({
    gates: [{ ...gate, evidence: 'Comptes créés\u00a0: 1 sur 3.' }],
  });
  // An object of a supplier with the same member.
  expect(JSON.parse(frenchAnswer(JSON.stringify({ name: 'x', evidence: 'Nothing to try.' }))!)).toEqual({
    name: 'x',
    evidence: 'Nothing to try.',
  });
});

test('has a French sentence and a French remedy for every code', () => {
  const found = errorCodes.map((code) => [code, frenchSentenceOf(code), frenchRemedyOf(code, false)] as const);
  expect(found.filter(([, sentence, remedy]) => !sentence || !remedy)).toEqual([]);
  expect(errorCodes.filter((code) => frenchRemedyOf(code, false) === remedyOf(code, false))).toEqual([]);
  expect(Object.entries(warningSentences).filter(([, sentence]) => inFrench(sentence) === undefined)).toEqual([]);
  expect(Object.keys(warningSentences).filter((code) => !frenchRemedyOf(code, true))).toEqual([]);
});

test('writes French punctuation, with no-break spaces and typographic apostrophes', () => {
  const sentences = [
    ...errorCodes.flatMap((code) => [frenchSentenceOf(code)!, frenchRemedyOf(code, false)!]),
    ...Object.entries(warningSentences).flatMap(([code, text]) => [inFrench(text)!, frenchRemedyOf(code, true)!]),
    ...frenchDetails.map(([english]) => inFrench(sampleOf(english)) ?? `${english} is not translated`),
    ...frenchGates.map(([english]) => evidenceInFrench(sampleOf(english)) ?? `${english} is not translated`),
  ];
  const faults = /[a-z]'[a-zéèêà]| [:;?!»]|« |\bis not translated/i;
  expect(sentences.filter((text) => faults.test(text))).toEqual([]);
});

/** A sentence with values. */
function sampleOf(english: string): string {
  const words: Record<string, string> = {
    type: 'a list',
    due: 'A text',
    cause: 'JSON has no comments',
    format: 'CSV',
    what: 'body',
    accounts: 'accounts',
    uploads: 'uploads',
  };
  return english.replaceAll(/\{(\w+)\}/g, (_, name: string) => words[name] ?? '12');
}

test('keeps the values of a detail, and translates sentences that follow each other', () => {
  expect(inFrench('"GAS" is not one of ELECTRICITY, GAZ.')).toBe(
    '"GAS" ne fait pas partie de\u00a0: ELECTRICITY, GAZ.',
  );
  expect(
    inFrench('A text is expected, not a number. This looks like the number that a spreadsheet stores for 2024-01-01.'),
  ).toBe(
    'Un texte est attendu, et non un nombre. Cela ressemble au nombre qu’un tableur enregistre pour le 2024-01-01.',
  );
  expect(inFrench('The line is not valid JSON: column 7: JSON has no comments.')).toBe(
    'La ligne n’est pas un JSON valide\u00a0: colonne 7\u00a0: JSON n’admet pas de commentaires.',
  );
  expect(
    inFrench('This field is required. Did you mean this field by "nom", which is not known and was dropped?'),
  ).toBe('Ce champ est obligatoire. Est-ce ce champ que désigne "nom", qui est inconnu et n’a pas été retenu\u00a0?');
  expect(inFrench('Nothing of this is known.')).toBeUndefined();
  expect(inFrench('This field is required. Nothing of this is known.')).toBeUndefined();
});

test('keeps codes, places and other members of a refusal, and an unknown detail behind the sentence of its code', () => {
  const body = {
    detail: 'Nothing of this is known.',
    code: 'not_found',
    errors: [{ detail: 'This field is required.', code: 'required', attr: 'customers.0.given_name' }],
    transaction_data: { code: 'required', detail: 'This field is required.' },
    doc_url: '/docs/codes/not_found/',
  };
  expect(frenchRefusal(body)).toEqual({
    ...body,
    detail: `${frenchSentenceOf('not_found')} (Nothing of this is known.)`,
    errors: [{ ...body.errors[0], detail: 'Ce champ est obligatoire.' }],
  });
});

test('translates the causes of a job with their remedies, and keeps all digits of numbers', () => {
  const cause = { place: 'a', records: 3, alone: 1, exampleLine: 2, exampleValue: null };
  const causes = [
    causeView({ ...cause, code: 'blank', isWarning: false }),
    causeView({ ...cause, code: 'unknown_member', isWarning: true }),
  ];
  const json = `{"causes":${JSON.stringify(causes)},"sum":12345678901234567890.10}`;
  const french = frenchAnswer(json)!;
  expect(french).toContain('"sum":12345678901234567890.10');
  expect(JSON.parse(french).causes).toEqual([
    { ...causes[0], detail: frenchSentenceOf('blank'), remedy: frenchRemedyOf('blank', false) },
    { ...causes[1], detail: inFrench(warningSentences.unknown_member), remedy: frenchRemedyOf('unknown_member', true) },
  ]);
  expect(frenchAnswer('{"service_account_number":"A-1"}')).toBeUndefined();
});

/** Code whose messages suppliers receive. */
const FOLDERS = [
  ...['account-import/create', 'account-import/stage', 'account-import/validate', 'account-import/list', 'accounts'],
  ...['businesses', 'import-jobs', 'notes', 'payment-instructions', 'platform/http', 'platform/validation'],
  ...['statements', 'supply-points/populate', 'transactions'],
];
/** Files without messages of responses: descriptions, progress in Temporal, answers to requests that are not HTTP. */
const WITHOUT = /(?:schema|openapi)\.ts$|http-server|health\.route|job-progress|call-vendor|withdrawable-job/;
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
/** Descriptions for the OpenAPI document, and errors that are logged. */
const NOT_SHOWN =
  /(?:description|summary|examples?|title|reason)\s*:\s*[[{]?\s*$|(?:Error|Unavailable|flagParameter|limitParameter)\(\s*$/;
/** Sentences that are no messages of responses, or that are parts of others, which have tests above. */
const OTHERS = [
  /^(?:Items|Jobs) per page|^Whether |^For a fault inside|^An instruction in force|^Asked for|^Omit warnings/,
  /^The document store is unavailable\.$|^The date was changed from/,
  /^\$\{(?:quoted|reason|fault\.detail|day|many)\}|\$\{(?:describeUtf8Fault|at)\(|looks like \$\{format\}|missing \$\{missing/,
];

test('translates every sentence that the code of suppliers’ calls contains', () => {
  const files = globSync(FOLDERS.map((folder) => join(SRC, folder, '**/*.ts'))).filter((file) => !WITHOUT.test(file));
  expect(files.length).toBeGreaterThan(50);
  const unknown = files.flatMap((file) =>
    sentencesIn(file)
      .filter((text) => !['7', 'a text', 'A number'].some((value) => inFrench(filled(text, value)) !== undefined))
      .map((text) => `${relative(SRC, file)}: ${text}`),
  );
  expect(unknown).toEqual([]);
});

function filled(text: string, value: string): string {
  return text.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, value);
}

function sentencesIn(file: string): string[] {
  const code = readFileSync(file, 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*/g, '$1');
  return [...code.matchAll(STRING)].flatMap((found) => {
    const text = found[0].slice(1, -1).replaceAll(/\\(['\\])/g, '$1');
    const isSentence = /^[A-Z"$].*[.?]$/s.test(text) && /[a-z] [a-z]/.test(text);
    const before = code.slice(Math.max(0, found.index - 60), found.index);
    return isSentence && !NOT_SHOWN.test(before) && !OTHERS.some((one) => one.test(text)) ? [text] : [];
  });
}
