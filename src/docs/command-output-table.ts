import type { Command } from 'commander';
import { commandsBelow, outputsOf, type CommandOutput } from '../cli/command.ts';
import { createProgram } from '../cli/program.ts';
import { supplierProgram } from '../cli/supplier-program.ts';
import type { OpenApiDocument } from '../openapi/openapi-document.ts';
import { code, table } from './markdown.ts';
import { publishedDocument } from './published-document.ts';

/** Tables of what each command prints with `--json`: its schema in the OpenAPI document, or its own. */
export const operatorOutputs = () => outputTable(createProgram());
export const supplierOutputs = () => outputTable(supplierProgram({}));

function outputTable(program: Command): string {
  const document = publishedDocument();
  const printed = commandsBelow(program).flatMap(([path, command]) =>
    outputsOf(command).map((output) => ({ path, output })),
  );
  const own = printed.flatMap(({ path, output }) =>
    'schema' in output ? [[`${path}${output.when === undefined ? '' : ` ${output.when}`}`, output.schema]] : [],
  );
  const rows = printed.map(({ path, output }) => [
    code(path),
    `${schemaOf(output, document)}${output.when === undefined ? '' : `, ${output.when}`}`,
    'operation' in output ? code(output.operation) : '',
  ]);
  const block = own.map(([name, schema]) => `  ${JSON.stringify(name)}: ${JSON.stringify(schema)}`).join(',\n');
  return `${table(['command', 'prints', 'response of'], rows)}\n\nOutput that a command composes, as JSON schemas:\n\n\`\`\`json\n${block}\n\`\`\``;
}

interface Schema {
  $ref?: string;
  type?: string;
  items?: Schema;
  /** Of NDJSON: the lines as a list. */
  contentSchema?: Schema;
}

function schemaOf(output: CommandOutput, { paths }: OpenApiDocument): string {
  if ('schema' in output) return 'its own schema, below';
  const [method = '', path = ''] = output.operation.split(' ');
  const form = path.replace(/<\w+>/g, '{}');
  const found = Object.entries(paths).find(([template]) => template.replace(/\{\w+\}/g, '{}') === form)?.[1];
  const responses = found?.[method.toLowerCase()]?.['responses'] as
    | Record<string, { content?: Record<string, { schema: Schema }> }>
    | undefined;
  const [, success] = Object.entries(responses ?? {}).find(([status]) => status.startsWith('2')) ?? [];
  const [content] = Object.entries(success?.content ?? {});
  if (content === undefined) throw new Error(`${output.operation} has no response in the OpenAPI document`);
  const [type, { schema }] = content;
  const name = nameOf(schema.contentSchema?.items ?? schema);
  if (output.member !== undefined) return `the member ${code(output.member)}${name === undefined ? '' : ` of ${name}`}`;
  if (type === 'application/x-ndjson') return name === undefined ? 'lines of the response' : `lines of ${name}`;
  return schema.type === 'array' ? `a list of ${nameOf(schema.items ?? {})}` : (name ?? 'the response');
}

const nameOf = ({ $ref: ref }: Schema) => (ref === undefined ? undefined : code(ref.split('/').at(-1)!));
