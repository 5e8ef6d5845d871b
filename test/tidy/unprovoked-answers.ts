import { readFileSync } from 'node:fs';
import { openApiContents } from '../../src/openapi/pages.ts';
import { refusalsByStatus } from '../../src/openapi/refusal-responses.ts';
import { besideRoutes } from '../../src/processes/routes.ts';
import { allRoutes } from '../support/openapi-document.ts';

// Declared responses of the OpenAPI document that no suite of a complete run has provoked: run-tests.mjs passes the
// file of recorded responses. Prints them and exits with 1 if there are any.
const provoked = new Set(readFileSync(process.argv[2] as string, 'utf8').split('\n'));
const declared = openApiContents(allRoutes(), besideRoutes).operations.flatMap((operation) => {
  const { operationId, replies, ownFailures = {} } = operation.openApi;
  return [
    ...[replies, ownFailures].flatMap(Object.keys).map((status) => `${operationId} ${status}`),
    ...[...refusalsByStatus(operation)].flatMap(([status, codes]) =>
      codes.map((code) => `${operationId} ${status} ${code}`),
    ),
  ];
});
const unprovoked = declared.filter((answer) => !provoked.has(answer));
for (const answer of unprovoked) {
  process.stdout.write(
    `${answer}: declared, but no test provokes it; write one, or remove it from the OpenAPI document\n`,
  );
}
process.stdout.write(`${declared.length - unprovoked.length} of ${declared.length} declared responses were provoked\n`);
process.exitCode = unprovoked.length === 0 ? 0 : 1;
