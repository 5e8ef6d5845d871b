// Lets Node load the service's code and large packages, once for all test files of a worker process. Jest by itself would load them
// anew for each file, which takes longer than most files' tests. The price: a file cannot mock them, which none does.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

export default {
  canInstrument: false,
  getCacheKey: (source, path, { supportsStaticESM }) =>
    createHash('sha1')
      .update([process.version, supportsStaticESM, globalThis.isInTests, path, source].join('\0'))
      .digest('hex'),
  process: (source, path, { supportsStaticESM }) => {
    // What starts the servers before all tests runs in Node itself; Jest asks for its packages all the same.
    if (!globalThis.isInTests) return { code: source };
    const loaded = `globalThis.loadNatively(${JSON.stringify(path)})`;
    if (!supportsStaticESM) return { code: `module.exports = ${loaded};` };
    const names = Object.keys(load(path));
    return {
      code: [
        `const loaded = ${loaded};`,
        ...names.map((name) =>
          name === 'default' ? 'export default loaded.default;' : `export const ${name} = loaded.${name};`,
        ),
      ].join('\n'),
    };
  },
};
