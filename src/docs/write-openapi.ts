import { writeFileSync } from 'node:fs';
import { readArguments } from '../platform/read-arguments.ts';
import { audienceIn, audiences } from '../openapi/openapi-document.ts';
import { publishedDocument } from './published-document.ts';

// `npm run openapi -- <file> [suppliers|operators]`: writes the OpenAPI document of this release, which a running service publishes at /openapi.json.
const [file = '', audience] = readArguments({
  usage: `npm run openapi -- <file> [${audiences.join('|')}]`,
  help: 'Writes the OpenAPI document that the service publishes to <file>, or its part for suppliers or operators.',
  words: { least: 1, most: 2 },
});
writeFileSync(file, `${JSON.stringify(publishedDocument(audienceIn(audience)), null, 2)}\n`);
