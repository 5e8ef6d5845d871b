import { writeFileSync } from 'node:fs';
import { audienceIn, audiences } from '../openapi/openapi-document.ts';
import { readArguments } from '../platform/read-arguments.ts';
import { clientTypes, typesOf } from './client-types.ts';
import { publishedDocument } from './published-document.ts';

// node src/docs/write-client-types.ts <file>: writes the types of the client in TypeScript; `npm run docs` does so in its place.
const [file = '', wanted] = readArguments({
  usage: `node src/docs/write-client-types.ts <file> [whole|${audiences.join('|')}]`,
  help: 'Writes the types of the client in TypeScript to <file>, or all types of an OpenAPI document.',
  words: { least: 1, most: 2 },
});
const types =
  wanted === undefined
    ? clientTypes(publishedDocument('suppliers'))
    : typesOf(publishedDocument(wanted === 'whole' ? undefined : audienceIn(wanted)));
writeFileSync(file, await types);
