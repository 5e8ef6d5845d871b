import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { compactVerify, createLocalJWKSet, errors, importJWK, importSPKI, type JSONWebKeySet, type JWK } from 'jose';
import type { Certificate } from '../reconciliation/certificate.rules.ts';
import { readAcceptedAccounts } from './accepted-accounts.ts';
import { compareWithFiles, explainDisagreements } from './certificate-against.ts';
import { withOutput } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { replaceFile, textIn } from './files.ts';
import { explainBalances, readBalances } from './ledger.ts';
import { counted, printAnswer, printLine } from './output.ts';

const KNOWN_TYPE = 'gangway-reconciliation/1';

/** `verify-certificate <file> --key <file>`: checks a certificate without the service. */
export function verifyCertificateCommand(program: string): Command {
  const command = new Command('verify-certificate')
    .description('Verify the certificate of a reconciliation, without the service.')
    .arguments('<file>')
    .requiredOption('--key <file>', 'the public key: what certificate-keys/ has answered, one key of it, or a PEM file')
    .option('--page <file>', 'write a printable page (HTML) to this file')
    .option('--against <files...>', 'compute all digests from these files or folders, and compare them')
    .option('--accounts <files...>', 'with --against: files of `reconcile accounts`, which name accounts and paths')
    .option('--differences <file>', 'with --against: differences of the reconciliation, which name accounts and paths')
    .option('--balances <ledger>', 'compare the opening balances with this ledger of the source (CSV)')
    .option('--received-balances <file>', 'with --balances: the file of `reconcile balances`, which names accounts')
    .option('--json', 'print its content as one JSON line')
    .addHelpText(
      'after',
      `\nExample:\n  ${program} verify-certificate certificate.json --key keys.json --page certificate.html`,
    )
    .action((file: string, options: VerifyOptions) => verifyAndCompare(file, options));
  return withOutput(command, {
    operation: 'GET /v1/data-import/reconciliations/<reconciliation>/certificate/',
    member: 'certificate',
  });
}

interface VerifyOptions {
  key: string;
  page?: string;
  against?: string[];
  accounts?: string[];
  differences?: string;
  balances?: string;
  receivedBalances?: string;
  json?: true;
}

async function verifyAndCompare(file: string, options: VerifyOptions): Promise<void> {
  const { key, page, against, balances, receivedBalances, json } = options;
  assertComplete(options);
  const certificate = await verify(textIn(file).trim(), textIn(key).trim());
  const ledger = balances === undefined ? undefined : readBalances(balances);
  const received = receivedBalances === undefined ? undefined : readBalances(receivedBalances);
  if (page !== undefined) await replaceFile(page, [certificatePage(certificate)]);
  const problems = [
    against && (await problemOfFiles(certificate, against, options)),
    ledger && explainBalances(certificate.balances, ledger, received),
  ].filter((problem) => problem !== undefined);
  printAnswer(certificate, json, () => printLine(summary(certificate)));
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  if (json) return;
  if (against) printLine(`All ${certificate.fields.length} digests and all sums agree with the files.`);
  if (ledger) printLine(`All ${ledger.size} balances agree with the ledger.`);
}

/** @throws CommandError if an option lacks the one that it belongs to */
function assertComplete({ against, accounts, differences, balances, receivedBalances }: VerifyOptions): void {
  const lacking = [
    against === undefined && accounts !== undefined && '--accounts needs --against',
    against === undefined && differences !== undefined && '--differences needs --against',
    balances === undefined && receivedBalances !== undefined && '--received-balances needs --balances',
  ].find((problem) => problem !== false);
  if (lacking !== undefined) throw new CommandError(`${lacking}.`, exitStatuses.usage);
}

async function problemOfFiles(
  certificate: Certificate,
  against: readonly string[],
  { accounts, differences }: VerifyOptions,
): Promise<string | undefined> {
  const listed = differences === undefined ? undefined : textIn(differences);
  const accepted = accounts === undefined ? undefined : await readAcceptedAccounts(accounts);
  const found = await compareWithFiles(certificate, against, accepted);
  return explainDisagreements(certificate, found, listed);
}

/**
 * Checks the signature, and that the certificate next to it equals the signed one.
 * @param text a JWS, or the response of the service with it
 * @param keyText a JSON Web Key Set, a JSON Web Key, or a public key in PEM form
 * @throws CommandError if the check fails
 */
async function verify(text: string, keyText: string): Promise<Certificate> {
  const answer = text.startsWith('{')
    ? parsed<{ certificate?: Certificate; jws?: string | null }>(text)
    : { jws: text };
  if (!answer.jws) throw new CommandError('The certificate is not signed: it has no jws.');
  let payload: Uint8Array;
  try {
    payload = (await verifiedBy(answer.jws, keyText)).payload;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const isForeign = error instanceof errors.JWKSNoMatchingKey;
    throw new CommandError(
      isForeign
        ? 'The certificate was signed with another key.'
        : 'The signature does not fit: the certificate or the key is not the one.',
    );
  }
  const signed = parsed<Certificate>(new TextDecoder().decode(payload));
  assertCertificate(signed);
  const beside = 'certificate' in answer ? answer.certificate : undefined;
  if (beside !== undefined && !isDeepStrictEqual(beside, signed)) {
    throw new CommandError('The certificate beside the signature differs from the signed one.');
  }
  return signed;
}

/** Members that are printed, and are therefore required. */
const REQUIRED = {
  string: ['reconciliation_id', 'import_supplier', 'gangway_version', 'checked_from', 'checked_until'],
  number: ['canonicalization', 'accounts', 'businesses', 'values_compared', 'different'],
  boolean: ['is_equal'],
} as const;

function assertCertificate(signed: Certificate | null): void {
  if (signed?.type !== KNOWN_TYPE) {
    throw new CommandError(`The signed text is not a reconciliation certificate (${String(signed?.type)}).`);
  }
  const missing = Object.entries(REQUIRED).flatMap(([type, names]) =>
    names.filter((name) => typeof signed[name] !== type),
  );
  const lists = ['sums', 'fields', 'manifests', 'not_compared', 'kept_without_copy'] as const;
  missing.push(...(lists.filter((name) => !Array.isArray(signed[name])) as never[]));
  const tables = ['differences', 'differences_with_reason', 'parties', 'balances'] as const;
  missing.push(...(tables.filter((name) => typeof signed[name] !== 'object' || signed[name] === null) as never[]));
  if (missing.length > 0) throw new CommandError(`The signed certificate lacks ${missing.join(', ')}.`);
}

/**
 * Verifies a signature.
 * @param keyText a JSON Web Key Set, a JSON Web Key, or a public key in PEM form
 * @throws if the signature is invalid
 */
export async function verifiedBy(jws: string, keyText: string) {
  const algorithms = { algorithms: ['EdDSA'] };
  if (!keyText.startsWith('{')) return compactVerify(jws, await importSPKI(keyText, 'EdDSA'), algorithms);
  const key = parsed<JSONWebKeySet | JWK>(keyText);
  return 'keys' in key
    ? compactVerify(jws, createLocalJWKSet(key), algorithms)
    : compactVerify(jws, await importJWK(key, 'EdDSA'), algorithms);
}

function parsed<T>(text: string): T {
  let value: T;
  try {
    value = JSON.parse(text) as T;
  } catch {
    throw new CommandError('The file is not valid JSON.', exitStatuses.usage);
  }
  // JSON readers disagree about members with the same name.
  const colons = text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
  if (colons !== memberCount(value)) throw new CommandError('The file has two members with the same name.');
  return value;
}

function memberCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return (Array.isArray(value) ? 0 : members.length) + members.reduce((sum, one) => sum + memberCount(one), 0);
}

function summary(certificate: Certificate): string {
  const { import_supplier: supplier, job_id: job, different, checked_until: until } = certificate;
  const subject = job === null ? `import supplier ${supplier}` : `import job ${job} of ${supplier}`;
  const compared = `${certificate.accounts} accounts and ${certificate.businesses} businesses, ${certificate.values_compared} values`;
  const outcome = certificate.is_equal
    ? 'All of them equal the accepted data.'
    : `${different} of them differ from the accepted data.`;
  const { balances, manifests } = certificate;
  const lines = [
    `The signature holds. ${subject}: ${compared}, compared until ${until} by gangway ${certificate.gangway_version}. ${outcome}`,
    `Opening balances of ${balances.accounts} accounts: ${balances.accepted} in total by accepted, ${balances.stored} by stored transactions.`,
    ...manifests.map(
      ({ sha256, agrees, differences }) =>
        `Manifest ${sha256}: ${agrees ? 'all totals agree' : `${counted(differences.length, 'total')} different`}.`,
    ),
  ];
  return lines.join('\n');
}

const CSS = `
  body { font: 11pt/1.4 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 1.5rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .2rem .5rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top; }
  code { font-size: 8pt; overflow-wrap: anywhere; } .unlike { font-weight: bold; }
  @page { margin: 18mm; } tr { break-inside: avoid; }`;

/** Renders a certificate as a page to print: one file, without scripts and links. */
function certificatePage(certificate: Certificate): string {
  const facts: [string, unknown][] = [
    ['Import supplier', certificate.import_supplier],
    ['Import job', certificate.job_id ?? 'all that was created'],
    [
      'Compared',
      `${certificate.checked_from} to ${certificate.checked_until}, by gangway ${certificate.gangway_version}`,
    ],
    ['Accounts', certificate.accounts],
    ['Accounts of which no copy is kept', certificate.accounts_without_copy],
    ['Accounts compared by hashes', certificate.accounts_by_hashes],
    ['Accounts withdrawn, not compared', certificate.accounts_withdrawn],
    ['Businesses', certificate.businesses],
    ['Values', certificate.values_compared],
    ['That differ', certificate.different],
    ['Number', certificate.reconciliation_id],
    ['Version of the notation of digests', certificate.canonicalization],
  ];
  const reasons = certificate.not_compared.flatMap(({ table, columns }) =>
    columns.map(({ column, reason }): [string, unknown] => [`${table}.${column}`, reason]),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Certificate of reconciliation</title><style>${CSS}</style></head><body>
<h1>Certificate of reconciliation</h1>
<p>${verdict(certificate)} The signature of this certificate was checked when this page was made.</p>
${rows(facts)}
<h2>Differences</h2>${rows(Object.entries(certificate.differences))}
<h2>Differences with a reason</h2>${rows(Object.entries(certificate.differences_with_reason))}
<h2>Outside parties</h2>${rows([...Object.entries(certificate.parties), ...vendorRows(certificate)])}
<h2>Sums</h2>${pairs(certificate.sums)}
<h2>Opening balances</h2>${rows([['Accounts', certificate.balances.accounts]])}${pairs(balancePairs(certificate))}
<h2>Manifests of the source</h2>${rows(certificate.manifests.map(manifestRow))}
<h2>Fields</h2><p>The sum of the hashes of all values, of what was accepted and of what stands.</p>${pairs(certificate.fields)}
<h2>Not compared</h2>${rows([...reasons, ...certificate.kept_without_copy.map(({ kind, reason }): [string, unknown] => [kind, reason])])}
</body></html>
`;
}

function verdict({ is_equal: isEqual, different }: Certificate): string {
  if (isEqual) return 'The stored data equals the accepted data.';
  return different === 0
    ? 'The stored data equals the accepted data, but a payment vendor reports a different instruction.'
    : 'The stored data differs from the accepted data.';
}

function balancePairs({ balances: { accepted, stored, digest } }: Certificate): Certificate['sums'] {
  return [
    { name: 'total', accepted, stored },
    { name: 'digest', ...digest },
  ];
}

/** A manifest with the totals in which the accepted records differ from it. */
function manifestRow({ sha256, agrees, differences, accepted_reason: why }: Certificate['manifests'][number]) {
  const totals = differences.map(({ path, expected, received, is_accepted: isAccepted }) => {
    return `${path}: expected ${expected}, received ${received}${isAccepted ? ', accepted' : ', not accepted'}`;
  });
  const reason = why === null ? [] : [`Reason: ${why}`];
  return [`SHA-256 ${sha256}`, agrees ? 'All totals agree.' : [...totals, ...reason].join('; ')] as [string, unknown];
}

function vendorRows({ payment_vendors: vendors, parties_not_asked: parties }: Certificate): [string, unknown][] {
  const rows = vendors.map(({ vendor, in_force: inForce, asked, different, not_asked: reasons }): [string, unknown] => {
    const why = reasons.map(({ reason, instructions }) => `; ${instructions} not asked: ${reason}`).join('');
    return [vendor, `${inForce} in force, ${asked} asked, ${different} otherwise${why}`];
  });
  return [...rows, ...parties.map(({ party, reason }): [string, unknown] => [`${party}, not asked`, reason])];
}

function rows(facts: readonly [string, unknown][]): string {
  if (facts.length === 0) return '<p>None.</p>';
  return `<table>${facts.map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join('')}</table>`;
}

function pairs(of: Certificate['sums']): string {
  const row = ({ name, accepted, stored }: Certificate['sums'][number]) => {
    const shown =
      accepted === stored
        ? `<code>${escaped(accepted)}</code>`
        : `<code>${escaped(accepted)}</code><br><code>${escaped(stored)}</code>`;
    return `<tr${accepted === stored ? '' : ' class="unlike"'}><th>${escaped(name)}</th><td>${shown}</td></tr>`;
  };
  return of.length === 0 ? '<p>None.</p>' : `<table>${of.map(row).join('')}</table>`;
}

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

function escaped(value: unknown): string {
  return String(value).replace(/[&<>"]/g, (character) => CHARACTERS.get(character)!);
}
