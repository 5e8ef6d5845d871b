import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { Type } from 'typebox';
import {
  verificationStepSchema,
  type AuditAnchorView,
  type AuditFinding,
  type AuditVerificationView,
} from '../audit-chain/audit-chain.schema.ts';
import type { JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection } from './connection.ts';
import { replaceFile, textIn } from './files.ts';
import { operatorCommand, table } from './operator-command.ts';
import { printAnswer, printLine, printTable } from './output.ts';
import { verifiedBy } from './verify-certificate.command.ts';

/** `audit`: who changed or read what, newest first; `audit verify` and `audit anchors` compare the audit with its chain. */
export function auditCommand(): Command {
  const command = operatorCommand({
    usage: 'audit',
    description: 'Show audit entries, newest first. --json includes the values before and after a change.',
    examples: ['audit', 'audit --subject import-suppliers/ACME', 'audit --action account.read --limit 1000 --json'],
    options: [
      new Option('--limit <entries>', 'maximum number of entries (default 100)'),
      new Option('--subject <path>', 'only this subject, such as import-suppliers/ACME'),
      new Option('--action <name>', 'only this action, such as import_supplier.changed'),
    ],
    route: 'GET audit/',
    show: table(
      { AT: 'at', WHO: 'actor.name', ACTION: 'action', SUBJECT: 'subject', REASON: 'reason' },
      'There are no such entries.',
    ),
  });
  // Otherwise `--json` after a subcommand would be an option of `audit`.
  return command.enablePositionalOptions().addCommand(verifyCommand()).addCommand(anchorsCommand());
}

/** The JSON of `audit verify`: the verification, with all findings and those about stored anchors. */
const verifiedSchema = Type.Object({
  ...verificationStepSchema.properties,
  compared_anchors: Type.Integer({ description: 'Number of stored anchors that were compared.' }),
});

/** The JSON of `audit anchors`. */
const storedSchema = Type.Object({
  stored: Type.Integer({ description: 'Number of files that were added.' }),
  anchors: Type.Integer({ description: 'Number of anchors of the service.' }),
});

interface VerifyOptions extends JsonOption {
  anchors?: string;
  key?: string;
}

const verifyCommand = (): Command =>
  operatorCommand({
    usage: 'verify',
    description:
      'Compare the whole audit with its chain of hashes. Exit status 1: entries, blocks or anchors were changed, deleted or inserted.',
    examples: ['audit verify', 'audit verify --anchors anchors --key keys.json'],
    prints: { schema: verifiedSchema },
    options: [
      new Option('--anchors <folder>', 'also compare anchors that `audit anchors` has stored earlier'),
      new Option('--key <file>', 'verify their signatures: the response of certificate-keys/, or a PEM file'),
    ],
    act: async ({ anchors: folder, key, json }: VerifyOptions, connect) => {
      if (key !== undefined && folder === undefined) {
        throw new CommandError('Name the folder of the anchors with --anchors.', exitStatuses.usage);
      }
      const kept = folder === undefined ? [] : anchorsIn(folder);
      const connection = await connect();
      const { verification, findings } = await verify(connection);
      findings.push(...(await compareAnchors(connection, kept, key && textIn(key).trim())));
      const result = { ...verification, compared_anchors: kept.length, finding_count: findings.length, findings };
      printAnswer(result, json, show);
      if (findings.length > 0) process.exitCode = exitStatuses.failed;
    },
  });

async function verify(
  connection: Connection,
): Promise<{ verification: AuditVerificationView; findings: AuditFinding[] }> {
  const findings: AuditFinding[] = [];
  for (let id: string | undefined; ;) {
    const step: AuditVerificationView = await connection.send('POST', 'audit/verifications/', { verification_id: id });
    findings.push(...step.findings);
    if (step.completed_at !== null) return { verification: step, findings };
    id = step.verification_id;
  }
}

function show(result: AuditVerificationView & { compared_anchors: number }): void {
  printTable(
    result.findings,
    { FOUND: 'kind', DAY: 'day', BLOCK: 'block', ENTRY: 'entry_id', DETAIL: 'detail' },
    'The audit equals its chain.',
  );
  const unsigned = result.unsigned_blocks > 0 ? ` ${result.unsigned_blocks} blocks are not signed.` : '';
  printLine(
    `\nEntries verified: ${result.entries} in ${result.blocks} blocks. Stored anchors compared: ${result.compared_anchors}.${unsigned}`,
  );
}

const FILE = /^audit-anchor-(\d{4}-\d{2}-\d{2})\.json$/;
const fileOf = (day: string) => `audit-anchor-${day}.json`;

/** An anchor in a file. The data of an event `audit.anchored.v1` is one too. */
type KeptAnchor = Pick<AuditAnchorView, 'day' | 'hash' | 'jws'>;

function anchorsIn(folder: string): KeptAnchor[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => FILE.test(name));
  } catch {
    throw new CommandError(`The folder ${folder} cannot be read.`, exitStatuses.usage);
  }
  if (names.length === 0) {
    throw new CommandError(`There is no ${fileOf('<day>')} in ${folder}.`, exitStatuses.usage);
  }
  return names.map((name) => {
    try {
      const { day, hash, jws } = JSON.parse(textIn(join(folder, name))) as KeptAnchor;
      if (day !== FILE.exec(name)![1] || typeof hash !== 'string') throw new SyntaxError();
      return { day, hash, jws };
    } catch (error) {
      if (error instanceof SyntaxError) throw new CommandError(`${name} is not the anchor of its day.`);
      throw error;
    }
  });
}

/** Compares the anchors of the service with those that were stored outside of it. */
async function compareAnchors(
  connection: Connection,
  kept: readonly KeptAnchor[],
  keyText: string | undefined,
): Promise<AuditFinding[]> {
  if (kept.length === 0) return [];
  const stored = new Map((await readAnchors(connection)).map((anchor) => [anchor.day, anchor]));
  const findings: AuditFinding[] = [];
  for (const { day, hash, jws } of kept) {
    const add = (kind: AuditFinding['kind'], detail: string) =>
      findings.push({ kind, day, block: null, entry_id: null, detail });
    const found = stored.get(day);
    if (found === undefined) add('anchor_missing', `The service has no anchor of this day; ${fileOf(day)} is one.`);
    else if (found.hash !== hash) add('anchor_changed', `The anchor of the service differs from ${fileOf(day)}.`);
    if (keyText !== undefined && !(await isSignedBy(keyText, { day, hash, jws }))) {
      add('signature_invalid', `The key has not signed ${fileOf(day)}.`);
    }
  }
  return findings;
}

async function isSignedBy(keyText: string, { day, hash, jws }: KeptAnchor): Promise<boolean> {
  if (!jws) return false;
  try {
    const signed = JSON.parse(new TextDecoder().decode((await verifiedBy(jws, keyText)).payload)) as AuditAnchorView;
    return signed.day === day && signed.hash === hash;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    return false;
  }
}

/** Most anchors of a response. */
const PAGE = 1_000;

async function readAnchors(connection: Connection): Promise<AuditAnchorView[]> {
  const anchors: AuditAnchorView[] = [];
  for (;;) {
    const from = anchors.at(-1)?.day;
    const page: AuditAnchorView[] = await connection.send('GET', `audit/anchors/${from ? `?from=${from}` : ''}`);
    // A page begins with the last anchor of the one before.
    anchors.push(...(from === undefined ? page : page.slice(1)));
    if (page.length < PAGE) return anchors;
  }
}

const anchorsCommand = (): Command =>
  operatorCommand({
    usage: 'anchors <folder>',
    description:
      'Store the signed anchors of all days as files, which `audit verify` compares later. Keep the folder where the owner of the database cannot write.',
    examples: ['audit anchors anchors'],
    prints: { schema: storedSchema },
    act: async ({ folder, json }: JsonOption & { folder: string }, connect) => {
      const anchors = await readAnchors(await connect());
      mkdirSync(folder, { recursive: true });
      const kept = new Set(readdirSync(folder));
      const added = anchors.filter(({ day }) => !kept.has(fileOf(day)));
      for (const anchor of added) await replaceFile(join(folder, fileOf(anchor.day)), [`${JSON.stringify(anchor)}\n`]);
      printAnswer({ stored: added.length, anchors: anchors.length }, json, ({ stored, anchors: all }) =>
        printLine(`Anchors stored: ${stored}. Already in the folder: ${all - stored}.`),
      );
    },
  });
