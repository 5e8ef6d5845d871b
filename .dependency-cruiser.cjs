// Who may import whom (dependency-cruiser). Each rule's comment is printed when it is broken and says what to do instead.
//
// Purity holds over any number of steps because each step has an allow-list: workflows reach only vocabulary, rules,
// temporal.config.ts and other workflows, and each of these reaches no further.

/** `import type` leaves no trace at run time; where the types cross a border freely, a rule looks at the rest only. */
const AT_RUN_TIME = { dependencyTypesNot: ['type-only'] };

/** Folders of src that are no capability. */
const NO_CAPABILITY = '^src/(foundation|vocabulary|platform|local-stack|processes|cli|demo|openapi|docs)/';
const DOORS = '^src/(?!platform|local-stack|processes|cli|demo|openapi|docs)[^/]+/index\\.ts$';
/** Of a capability, and of an action of one. */
const RULES = ['^src/[^/]+/[^/]+\\.rules\\.ts$', '^src/[^/]+/[^/]+/[^/]+\\.rules\\.ts$'];
/** Packages that compute and do nothing else. */
const PURE_PACKAGES = '(^|/)node_modules/(libphonenumber-js|big\\.js|graphql|ipaddr\\.js)/|^crypto$';
/** Calendar days in France, computed from an instant that is passed. */
const CALENDAR = '^src/platform/clock\\.ts$';

const doorsComment =
  "Another capability is entered by its door: export the function from that capability's index.ts and import it there. Its " +
  'schemas (*.schema.ts) and pure decisions (*.rules.ts) may be imported directly; entities only by entities.';

module.exports = {
  forbidden: [
    {
      name: 'workflows-are-pure',
      comment:
        'A workflow is replayed: it may import only @temporalio/workflow, @temporalio/common, src/vocabulary, *.rules.ts, ' +
        'temporal.config.ts and other workflows. Move what touches the world into an activity; take its types by `import type`.',
      severity: 'error',
      from: { path: ['^workflows/', '^temporal\\.config\\.ts$'] },
      to: {
        ...AT_RUN_TIME,
        pathNot: [
          '^workflows/',
          '^temporal\\.config\\.ts$',
          '^src/(foundation|vocabulary)/',
          ...RULES,
          '(^|/)node_modules/@temporalio/(workflow|common)/',
        ],
      },
    },
    {
      name: 'rules-are-pure',
      comment:
        'A rule decides from what it is given: it may import only src/vocabulary, temporal.config.ts, other *.rules.ts and packages that only ' +
        'compute (libphonenumber-js, big.js, graphql, ipaddr.js, hashes). Let the route or store fetch the facts and pass them as arguments.',
      severity: 'error',
      from: { path: '\\.rules\\.ts$' },
      to: {
        ...AT_RUN_TIME,
        pathNot: ['^temporal\\.config\\.ts$', '^src/(foundation|vocabulary)/', CALENDAR, ...RULES, PURE_PACKAGES],
      },
    },
    {
      name: 'capability-doors',
      comment: doorsComment,
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: [NO_CAPABILITY, '\\.entity\\.ts$'] },
      to: {
        path: '^(src|activities)/',
        pathNot: [
          '^src/$1/',
          '^src/(foundation|vocabulary|platform)/',
          DOORS,
          '^src/[^/]+/[^/]+\\.(schema|rules|openapi)\\.ts$',
          '^src/[^/]+/[^/]+/[^/]+\\.(schema|rules|openapi)\\.ts$',
          '^src/vendors/[^/]+/[^/]+\\.port\\.ts$',
        ],
      },
    },
    {
      name: 'capability-doors',
      comment: doorsComment,
      severity: 'error',
      from: { path: '^src/([^/]+)/.*\\.entity\\.ts$', pathNot: NO_CAPABILITY },
      to: {
        path: '^(src|activities)/',
        pathNot: [
          '^src/$1/',
          '^src/(foundation|vocabulary)/',
          '^src/platform/database/personal-columns\\.ts$',
          '\\.entity\\.ts$',
        ],
      },
    },
    {
      name: 'activities-own-capability',
      comment:
        'Activities of a capability use src/<the same capability>/, the doors (index.ts) of others, vendors, platform (not ' +
        'platform/http), vocabulary and temporal.config.ts. Export what is missing from the other door.',
      severity: 'error',
      from: { path: '^activities/([^/]+)/' },
      to: {
        path: '^(src|activities|workflows)/',
        pathNot: [
          '^activities/$1/',
          '^activities/[^/]+\\.ts$',
          '^src/$1/',
          '^src/(vendors|foundation|vocabulary)/',
          '^src/platform/(?!http/)',
          DOORS,
        ],
      },
    },
    {
      name: 'platform-knows-no-capability',
      comment:
        'The platform is the ground floor: it imports vocabulary, temporal.config.ts and libraries. What names a capability is handed ' +
        'to it by whoever opens it (src/processes), or belongs into the capability.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^(src|activities|workflows)/', pathNot: '^src/(platform|foundation|vocabulary)/' },
    },
    {
      name: 'local-stack-is-for-one-machine',
      comment:
        'src/local-stack runs Postgres and Temporal on one machine. A process of production is given addresses: only `up` and ' +
        '`demo` start the stack, and tests. Move what production needs into src/platform.',
      severity: 'error',
      from: {
        path: '^(src|activities|workflows)/',
        pathNot: '^src/(local-stack|demo)/|^src/processes/(up|demo)\\.ts$',
      },
      to: { path: '^src/local-stack/' },
    },
    {
      name: 'cli-is-a-client',
      comment:
        'A command is a client of the HTTP API, as a customer would be: call it by the library in clients/typescript. It may import vocabulary, ' +
        '*.schema.ts, platform/validation, platform/settings.ts, the reader of zstd, and the totals and digests of manifests, which are computed without the ' +
        'service. Only key-create.command.ts works on the database.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/key-create\\.command\\.ts$' },
      to: {
        ...AT_RUN_TIME,
        path: [
          '^(src|activities|workflows)/',
          '^temporal\\.config\\.ts$',
          '(^|/)node_modules/(@mikro-orm|@temporalio|@koa|koa|pg)/',
        ],
        pathNot: [
          '^src/(cli|foundation|vocabulary)/',
          '^src/[^/]+/[^/]+\\.schema\\.ts$',
          '^src/[^/]+/[^/]+/[^/]+\\.schema\\.ts$',
          '^src/platform/validation/',
          '^src/platform/settings\\.ts$',
          '^src/platform/http/zstd-frames\\.ts$',
          '^src/manifest/[^/]+\\.(rules|validation)\\.ts$',
          '^src/reconciliation/compare/(hashed-lines|sha256)\\.rules\\.ts$',
        ],
      },
    },
    {
      name: 'clients-stand-alone',
      comment:
        'A client library is published without the service. Move what both need into the client; the command line imports it from there.',
      severity: 'error',
      from: { path: '^clients/' },
      to: { path: '^(src|activities|workflows|test)/|^temporal\\.config\\.ts$' },
    },
    {
      name: 'nobody-imports-processes',
      comment:
        'src/processes only wires things together and is where a process starts. Move what is needed elsewhere into a ' +
        'capability or into src/platform, and let the process call it there. Only src/docs reads its routes.',
      severity: 'error',
      from: { pathNot: '^(src/(processes|docs)|test)/' },
      to: { path: '^src/processes/' },
    },
    {
      name: 'nobody-imports-docs',
      comment:
        'src/docs writes pages of docs/ from the code (`npm run docs`). No process needs it; only tests check what it writes. ' +
        'Move what is needed elsewhere out of it.',
      severity: 'error',
      from: { pathNot: '^(src/docs|test)/' },
      to: { path: '^src/docs/' },
    },
    {
      name: 'no-circular',
      comment:
        'These files import each other in a circle, so neither can be read or loaded first. Move what both need into a third ' +
        'file, or pass it as an argument.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'vocabulary-imports-nothing',
      comment:
        'The vocabulary of the domain imports itself and src/foundation (functions without meaning in the domain) only. Move the code to ' +
        'the capability that needs it, or the type into the vocabulary.',
      severity: 'error',
      from: { path: '^src/vocabulary/' },
      to: { pathNot: '^src/(foundation|vocabulary)/' },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API that dependency-cruiser could use.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    moduleSystems: ['es6', 'cjs'],
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.cjs', '.js', '.json'],
    },
  },
};
