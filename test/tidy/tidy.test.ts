import { expect, test } from '@jest/globals';
import { codeOf, filesUnder, rootFiles, textOf } from './project-files.ts';

// The structure of the tree. Every violation is listed with what to do instead.

const CAPABILITIES = [
  'access',
  'account-import',
  'account-view',
  'accounts',
  'audit-chain',
  'bulk-actions',
  'businesses',
  'check',
  'events',
  'import-jobs',
  'manifest',
  'notes',
  'overview',
  'payment-instructions',
  'personal-data',
  'reconciliation',
  'statements',
  'search',
  'stuck',
  'suppliers',
  'supply-points',
  'switching',
  'transactions',
  'waves',
  'withdrawal',
];
/** A large capability has a folder for each action, or for each kind of record. */
const ACTIONS = [
  'validate',
  'stage',
  'create',
  'list',
  'skip',
  'limit',
  'count',
  'wave',
  'open',
  'find',
  'upload',
  'steer',
  'work-off',
  'manifest',
  'results',
  'compare',
  'expire',
  'erase',
  'export',
  'populate',
  'lookup',
  'throttle',
  'tokens',
  'keys',
  'people',
  'organisations',
  'audit',
];
const ROLES = ['client', 'entity', 'openapi', 'queue', 'route', 'rules', 'schema', 'store', 'validation'];
const VENDORS = ['document-store', 'industry-switch', 'network-operator', 'payment-vendor'];
const VENDOR_ROLES = ['client', 'port', 'schema', 'simulator'];
const TEST_FOLDERS = [
  'activities',
  'bench',
  'cli',
  'clients',
  'database',
  'endpoints',
  'hostile',
  'http',
  'local-stack',
  'metrics',
  'openapi',
  'operations',
  'replay',
  'rules',
  'scenarios',
  'support',
  'support-site',
  'tidy',
  'vendors',
  'workflows',
];

const STEM = '[a-z0-9]+(?:-[a-z0-9]+)*';
const anyOf = (names: readonly string[]) => `(?:${names.join('|')})`;

/** Allowed folders and names of files. */
const KNOWN_PATHS = [
  `src/${anyOf(CAPABILITIES)}/(?:${anyOf(ACTIONS)}/)?(?:index|${STEM}\\.${anyOf(ROLES)})\\.ts`,
  `src/(?:${anyOf(CAPABILITIES)}/(?:${anyOf(ACTIONS)}/)?|platform/(?:${STEM}/)*)${STEM}\\.sql`,
  `src/vendors/${anyOf(VENDORS)}/(?:${STEM}/)?(?:open|${STEM}\\.${anyOf(VENDOR_ROLES)})\\.ts`,
  `src/vendors/simulators\\.ts`,
  `src/openapi/${STEM}\\.ts`,
  `src/openapi/assets/api-reference\\.js(?:on)?`,
  `src/support-site/${STEM}\\.ts`,
  `src/support-site/${STEM}/${STEM}(?:\\.(?:page|rules|store))?\\.ts`,
  `src/support-site/assets/${STEM}\\.(?:css|js)`,
  `src/cli/${STEM}(?:\\.command)?\\.ts`,
  `src/platform/(?:${STEM}/)*${STEM}(?:\\.(?:d|entity|openapi|route|rules|schema|store))?\\.ts`,
  `src/local-stack/temporal-cli/go\\.(?:mod|sum)`,
  `src/(?:demo|docs|foundation|local-stack|openapi|processes|vocabulary)/${STEM}\\.ts`,
  `workflows/(?:index|trace-run|${anyOf(CAPABILITIES)}/${STEM}\\.workflow)\\.ts`,
  `activities/(?:index|failures|heartbeat|${anyOf(CAPABILITIES)}/(?:index|${STEM}\\.activities))\\.ts`,
  `test/${anyOf(TEST_FOLDERS)}/.+`,
].map((place) => new RegExp(`^${place}$`));

/** The stored script of the API reference is not ours. */
const product = () =>
  filesUnder('src', 'workflows', 'activities').filter((path) => !path.endsWith('assets/api-reference.js'));
const productCode = () => [...product().filter((path) => path.endsWith('.ts')), 'temporal.config.ts'];
const testFiles = () => filesUnder('test').filter((path) => path.endsWith('.test.ts'));
const everything = () => [...product(), ...filesUnder('test', '.ci'), ...rootFiles()];

function offenders(paths: readonly string[], isOffender: (path: string) => boolean, sentence: string): string[] {
  return paths.filter(isOffender).map((path) => `${path}: ${sentence}`);
}

test('allows only known folders and roles', () => {
  const sentence = `unknown folder or role. A capability holds index.ts and <stem>.<role>.ts with a role of ${ROLES.join(', ')}; add new roles and folders here.`;
  expect(
    offenders(
      [...product(), ...filesUnder('test')],
      (path) => !KNOWN_PATHS.some((place) => place.test(path)),
      sentence,
    ),
  ).toEqual([]);
});

test('allows no file name without a meaning', () => {
  const vague = /(?:^|[/.-])(?:utils?|helpers?|common|managers?|services?|base)(?=[/.-]|$)/;
  expect(
    offenders(
      [...product(), ...filesUnder('test')],
      (path) => vague.test(path),
      'name its action or contents: <verb>-<noun> or <noun>.',
    ),
  ).toEqual([]);
});

test('allows no default exports', () => {
  expect(
    offenders(
      productCode(),
      (path) => /^\s*export (?:default\b|\{[^}]*\bas default\b)/m.test(codeOf(path)),
      'export it by name, so that a search for the name finds it.',
    ),
  ).toEqual([]);
});

test('reads the environment only in settings.ts, and for the command line in profiles.ts', () => {
  const sentence =
    'add a setting to a group in src/platform/settings/ and pass its value on. A process may only pass on process.env as a whole.';
  const reads = (path: string) => {
    if (path === 'src/platform/settings.ts' || path === 'src/cli/profiles.ts') return false;
    const code = codeOf(path);
    const isHandedOn = path.startsWith('src/processes/') && !/process\.env\s*(?:\?\.|\.|\[)/.test(code);
    return (
      (code.includes('process.env') && !isHandedOn) || /import\s*\{[^}]*\benv\b[^}]*\}\s*from 'node:process'/.test(code)
    );
  };
  expect(offenders(productCode(), reads, sentence)).toEqual([]);
});

test('writes colors only in the demo, where the terminal and NO_COLOR decide', () => {
  const colors = /\\(?:u001b|x1b)\[(?:\d|\$\{)[^ABCDHJK]*m|styleText/i;
  const sentence = 'the command line has no colors, see `help environment`.';
  const colored = offenders(productCode(), (path) => colors.test(codeOf(path)), sentence);
  expect(colored).toEqual([`src/demo/demo-client.ts: ${sentence}`]);
  expect(codeOf('src/processes/demo.ts')).toContain('process.stdout.isTTY === true && process.stdout.hasColors()');
});

test('allows no leftovers', () => {
  // Written so that the patterns do not match themselves.
  const leftovers: [RegExp, string][] = [
    [/\b(?:FIXM[E]|TOD[O]|XX[X]|HAC[K])\b/, 'do it now, or open an issue.'],
    [/\.onl[y]\(/, 'a focused test skips all others; run one by `npm test -- <path>`.'],
    [/\b(?:it|test|describe)\.(?:ski[p]|tod[o])\b/, 'fix the test or delete it.'],
    [/@ts-(?:ignor[e]|nochec[k])/, 'fix the type.'],
    [
      /(?<![\w^.])\/(?:wor[k]\/\w|roo[t]\/[.\w]|tmp\/bash_job[s])/,
      'a path of one machine; use a path from the project root.',
    ],
  ];
  const found = leftovers.flatMap(([pattern, sentence]) =>
    offenders(everything(), (path) => pattern.test(textOf(path)), `${pattern.source}: ${sentence}`),
  );
  // Tests may leave a wire shape untyped; the lint rule no-explicit-any covers the rest.
  found.push(
    ...offenders(
      productCode(),
      (path) => /\bas an[y](?=\s*[;,).\]}>]|\s*$)/m.test(codeOf(path)),
      'name the type, or convert by way of unknown.',
    ),
  );
  expect(found).toEqual([]);
});

test('requires an expectation in every test file', () => {
  expect(
    offenders(
      testFiles(),
      (path) => !/\bexpect(?:\.\w+)?\(|^\w+Suite\(/m.test(codeOf(path)),
      'without an expectation it can only fail by accident.',
    ),
  ).toEqual([]);
});

test('allows no plain object as a table for names that clients send', () => {
  // A plain object also answers to constructor, toString and __proto__. The API pages use only names of the code.
  const lookups = productCode().filter(
    (path) => !/^src\/openapi\/|\.openapi\.ts$|^src\/foundation\/table\.ts$/.test(path),
  );
  const forms: [RegExp, string][] = [
    [
      /(?:const|let) \w+: (?:Readonly<|Partial<)*Record<string, (?!unknown>)[^=]+= \{(?!\})/,
      'use tableOf({ ... }) of src/foundation/table.ts, which is a Map; one that is never read by a name needs no type',
    ],
    [
      /[\w)\]]\[[^[\]\n]* as (?:keyof|never|[A-Z])[^\]\n]*\]/,
      'the cast hides that the name may be unknown: use a Map of tableOf, or ownMember of src/foundation/table.ts',
    ],
    [/\w\)? in [A-Z][A-Z_]*\b(?=\)| &&| \|\||;)/, '`in` also finds inherited names: use has() of a Map of tableOf'],
    [/\}\[[^\]\n]+\] \?\?/, 'a lookup in a literal: use a Map of tableOf of src/foundation/table.ts'],
  ];
  expect(
    forms.flatMap(([form, sentence]) =>
      offenders(lookups, (path) => form.test(codeOf(path)), `a lookup of the form ${form.source}; ${sentence}.`),
    ),
  ).toEqual([]);
});
