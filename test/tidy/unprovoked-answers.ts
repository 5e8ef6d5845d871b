import { readFileSync } from 'node:fs';
import { obtainTokenOperation } from '../../src/access/tokens/obtain-token.openapi.ts';
import { declaredOperations } from '../../src/openapi/pages.ts';
import { refusalsByStatus } from '../../src/openapi/refusal-responses.ts';
import { allRoutes } from '../support/openapi-document.ts';

// Which answers the OpenAPI document declares and no suite of a whole run has provoked: run-tests.mjs calls it with the file of
// what was seen. Prints them and ends with 1 when there are any.
const seen = new Set(readFileSync(process.argv[2] as string, 'utf8').split('\n'));
const declared = [obtainTokenOperation, ...declaredOperations(allRoutes())].flatMap((operation) => {
  const { operationId, replies } = operation.openApi;
  return [
    ...Object.keys(replies).map((status) => `${operationId} ${status}`),
    ...[...refusalsByStatus(operation)].flatMap(([status, codes]) =>
      codes.map((code) => `${operationId} ${status} ${code}`),
    ),
  ];
});
const unprovoked = declared.filter((answer) => !seen.has(answer));
for (const answer of unprovoked) {
  process.stdout.write(
    `${answer}: declared, but no test provokes it; write one, or take it out of the OpenAPI document\n`,
  );
}
process.stdout.write(`${declared.length - unprovoked.length} of ${declared.length} declared answers were provoked\n`);
process.exitCode = unprovoked.length === 0 ? 0 : 1;
