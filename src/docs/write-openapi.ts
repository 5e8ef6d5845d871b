import { writeFileSync } from 'node:fs';
import { readArguments } from '../platform/read-arguments.ts';
import { publishedDocument } from './published-document.ts';

// `npm run openapi -- <file>`: writes the OpenAPI document of this release, which a running service publishes at /openapi.json.
const [file = ''] = readArguments({
  usage: 'npm run openapi -- <file>',
  help: 'Writes the OpenAPI document that the service publishes to <file>.',
  words: { least: 1, most: 1 },
});
writeFileSync(file, `${JSON.stringify(publishedDocument(), null, 2)}\n`);
