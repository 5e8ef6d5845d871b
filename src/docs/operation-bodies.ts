import { exampleOf } from '../openapi/schema-example.ts';
import { readSettings } from '../platform/settings.ts';
import { buildRoutes, type RouteDeps } from '../processes/routes.ts';

/** The operations in the generated page: number, method and path below /v1/data-import/, and operation id. */
const shownOperations = [
  [1, 'POST validate-account/', 'validateAccount'],
  [2, 'POST account-import-process/create-or-update/', 'stageAccount'],
  [3, 'POST account-import-process/process/', 'createAccount'],
  [4, 'POST notes/create/', 'createNotes'],
  [5, 'POST transactions/create/', 'createTransactions'],
  [6, 'POST historical-statements/create/', 'createHistoricalStatements'],
  [7, 'POST payment-instruction/create/', 'createPaymentInstruction'],
  [8, 'GET account-transfer-status/<supplier>/<number>/', 'findAccountTransferStatus'],
  [9, 'GET all-account-import-processes/<supplier>/', 'listAllImportProcesses'],
  [10, 'GET pending-account-import-processes/<supplier>/', 'listPendingImportProcesses'],
  [11, 'GET imported-account-import-processes/<supplier>/', 'listImportedImportProcesses'],
  [12, 'POST business/', 'createBusiness'],
  [13, 'POST business-contracts/create/', 'createBusinessContracts'],
  [14, 'POST supply-point/populate/', 'populateSupplyPoints'],
  [14, 'GET supply-point/populate/<batch_id>/', 'findPopulationBatch'],
] as const;

/** Maximum length of JSON on one line, in characters. */
const LINE_MAX = 130;

/** An example request and response of each operation, from the OpenAPI documentation. Repeated examples are shown once. */
export function operationBodies(): string {
  const shownIn = new Map<string, number>();
  const show = (number: number, body: unknown) => {
    const above = shownIn.get(JSON.stringify(body));
    shownIn.set(JSON.stringify(body), above ?? number);
    if (above === undefined) return `:\n\n${block(body)}`;
    return above === number ? ': the same.' : `: as in ${above}.`;
  };
  // They are not called, so they need no dependencies.
  const routes = buildRoutes({ settings: readSettings({}) } as RouteDeps);
  const sections = shownOperations.map(([number, call, operationId]) => {
    const { openApi } = routes.find((route) => route.openApi?.operationId === operationId)!;
    const { summary, requestExamples = {}, replies } = openApi!;
    const [request] = Object.values(requestExamples);
    // If there are two, the second is the response to a first request.
    const [status, about] = Object.entries(replies).at(-1)!;
    return [
      `## ${number}. ${summary}`,
      `\`${call}\`${request === undefined ? '' : show(number, request)}`,
      `Answer ${status}${show(number, exampleOf(about.schema, about.example))}`,
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
