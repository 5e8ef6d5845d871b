import type { Certificate } from '../reconciliation/certificate.rules.ts';

const CSS = `
  body { font: 11pt/1.4 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 1.5rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .2rem .5rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top; }
  code { font-size: 8pt; overflow-wrap: anywhere; } .unlike { font-weight: bold; }
  @page { margin: 18mm; } tr { break-inside: avoid; }`;

/** Renders a certificate as a page to print: one file, without scripts and links. */
export function certificatePage(certificate: Certificate): string {
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
