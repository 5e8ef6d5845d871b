import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import { readArguments } from '../platform/read-arguments.ts';

// Writes the programs of this release to a folder, each with its imports in a few files instead of thousands. They start in half to two
// thirds of the processor time and use less memory (docs/decisions/0063-bundled-programs.md):
// node src/processes/bundle-programs.ts <folder>

const HERE = import.meta.dirname;
const PROGRAMS = {
  migrate: join(HERE, 'migrate.ts'),
  api: join(HERE, 'api.ts'),
  worker: join(HERE, 'worker.ts'),
  'support-site': join(HERE, 'support-site.ts'),
  cli: join(HERE, '../cli/main.ts'),
};

/**
 * Packages of ES modules in hundreds of files, with packages that belong to them. All others are loaded as packages, as usual.
 * `@oxc-project/runtime` comes with rolldown.
 */
const BUNDLED = [
  '@mikro-orm',
  '@oxc-project/runtime',
  'graphql',
  'graphql-http',
  'jose',
  'kysely',
  'libphonenumber-js',
  'typebox',
  'uuid',
];

const [folder = ''] = readArguments({
  usage: 'node src/processes/bundle-programs.ts <folder>',
  help: `Writes the programs of this release to <folder>, each in a few files: ${Object.keys(PROGRAMS).join(', ')}.`,
  words: { least: 1, most: 1 },
});
const bundle = await rolldown({
  input: PROGRAMS,
  platform: 'node',
  external: (name) => isPackage(name) && !BUNDLED.some((bundled) => name === bundled || name.startsWith(`${bundled}/`)),
  plugins: [keepModulePaths()],
  logLevel: 'warn',
});
await bundle.write({
  dir: resolve(folder),
  // The ORM and errors use the names of classes.
  keepNames: true,
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
});
await bundle.close();

function isPackage(name: string): boolean {
  return /^[^./]/.test(name);
}

/** Keeps original paths, so that modules find files next to their sources (templates, SQL files, package.json). */
function keepModulePaths(): Plugin {
  return {
    name: 'keep-places',
    transform: {
      filter: { code: /import\.meta\.(?:url|dirname|filename)/ },
      handler: (code, path) =>
        path.includes('/node_modules/')
          ? null
          : code
              .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
              .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
              .replaceAll('import.meta.filename', JSON.stringify(path)),
    },
  };
}
