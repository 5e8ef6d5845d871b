import { createAccountOpenApi } from '../account-import/create/create-account.openapi.ts';
import { findTransferStatusOpenApi } from '../account-import/list/find-transfer-status.route.ts';
import { listImportProcessesOpenApi } from '../account-import/list/list-import-processes.openapi.ts';
import { stageAccountOpenApi } from '../account-import/stage/stage-account.openapi.ts';
import { validateAccountOpenApi } from '../account-import/validate/validate-account.route.ts';
import { createBusinessContractsOpenApi, createBusinessOpenApi } from '../businesses/businesses.openapi.ts';
import { createNotesOpenApi } from '../notes/notes.openapi.ts';
import { createPaymentInstructionOpenApi } from '../payment-instructions/payment-instructions.openapi.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { createStatementsOpenApi } from '../statements/statements.openapi.ts';
import { findBatchOpenApi } from '../supply-points/find/find-batch.openapi.ts';
import { populateOpenApi } from '../supply-points/populate/populate.openapi.ts';
import { createTransactionsOpenApi } from '../transactions/transactions.openapi.ts';

/** An operation in the generated page. */
interface ShownOperation {
  number: number;
  /** Method and path below /v1/data-import/. */
  call: string;
  openApi: RouteOpenApi;
}

const shownOperations: readonly ShownOperation[] = [
  { number: 1, call: 'POST validate-account/', openApi: validateAccountOpenApi },
  { number: 2, call: 'POST account-import-process/create-or-update/', openApi: stageAccountOpenApi },
  { number: 3, call: 'POST account-import-process/process/', openApi: createAccountOpenApi },
  { number: 4, call: 'POST notes/create/', openApi: createNotesOpenApi },
  { number: 5, call: 'POST transactions/create/', openApi: createTransactionsOpenApi },
  { number: 6, call: 'POST historical-statements/create/', openApi: createStatementsOpenApi },
  { number: 7, call: 'POST payment-instruction/create/', openApi: createPaymentInstructionOpenApi },
  { number: 8, call: 'GET account-transfer-status/<supplier>/<number>/', openApi: findTransferStatusOpenApi },
  { number: 9, call: 'GET all-account-import-processes/<supplier>/', openApi: listImportProcessesOpenApi('all') },
  {
    number: 10,
    call: 'GET pending-account-import-processes/<supplier>/',
    openApi: listImportProcessesOpenApi('pending'),
  },
  {
    number: 11,
    call: 'GET imported-account-import-processes/<supplier>/',
    openApi: listImportProcessesOpenApi('imported'),
  },
  { number: 12, call: 'POST business/', openApi: createBusinessOpenApi },
  { number: 13, call: 'POST business-contracts/create/', openApi: createBusinessContractsOpenApi },
  { number: 14, call: 'POST supply-point/populate/', openApi: populateOpenApi },
  { number: 14, call: 'GET supply-point/populate/<batch_id>/', openApi: findBatchOpenApi },
];

/** Maximum length of JSON on one line, in characters. */
const LINE_MAX = 130;

/** An example request and response of each operation, from the OpenAPI documentation. Repeated examples are shown once. */
export function operationBodies(): string {
  const shownIn = new Map<unknown, number>();
  const show = (number: number, body: unknown) => {
    const above = shownIn.get(body);
    shownIn.set(body, above ?? number);
    if (above === undefined) return `:\n\n${block(body)}`;
    return above === number ? ': the same.' : `: as in ${above}.`;
  };
  const sections = shownOperations.map(({ number, call, openApi }) => {
    const [request] = Object.values(openApi.requestExamples ?? {});
    // If there are two, the second is the response to a first request.
    const reply = Object.entries(openApi.replies).at(-1);
    if (reply === undefined) throw new Error(`${openApi.operationId} has no success.`);
    const [status, { example }] = reply;
    return [
      `## ${number}. ${openApi.summary}`,
      `\`${call}\`${request === undefined ? '' : show(number, request)}`,
      `Answer ${status}${show(number, example)}`,
    ].join('\n\n');
  });
  return `\n${sections.join('\n\n')}\n`;
}

function block(value: unknown): string {
  return `\`\`\`json\n${written(value, '')}\n\`\`\``;
}

/** Formats JSON; members that do not fit on one line get their own. */
function written(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, member]) => ({
    label: isList ? '' : `${JSON.stringify(name)}: `,
    member,
  }));
  const [open, close] = isList ? '[]' : '{}';
  const line = open + parts.map(({ label, member }) => label + written(member, '')).join(', ') + close;
  if (!line.includes('\n') && indent.length + line.length <= LINE_MAX) return line;
  const lines = parts.map(({ label, member }) => inner + label + written(member, inner));
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
