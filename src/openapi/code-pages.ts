import { lineFaultSentences, type LineFaultCode } from '../vocabulary/import-jobs.ts';
import { lineFaultRemedies, refusalRemedies, violationRemedies, warningRemedies } from '../vocabulary/remedies.ts';
import { refusals, type RefusalCode, type RefusalEntry } from '../vocabulary/refusals.ts';
import { NON_FIELD_ERRORS, violation, violationSentences, type ViolationCode } from '../vocabulary/violations.ts';
import { warning, warningSentences, type WarningCode } from '../vocabulary/warnings.ts';
import type { CodeUses } from './code-places.ts';
import { guideAddress } from './guide-pages.ts';
import { escapeHtml, htmlPage } from './html-page.ts';
import { refusalExample } from './refusal-example.ts';

/** Maximum number of fields that a page lists; the rest is counted. */
const FIELDS_LISTED_MAX = 24;

const retryWords: Record<string, string> = {
  never: 'Do not send the request again.',
  'after-correction': 'Correct the request, then send it again.',
  'same-request': 'Send the same request again. It never stores anything twice.',
  later: 'Send the same request again later.',
};

/** The page of a code, or undefined if no catalog contains it. */
export function codePage(code: string, uses: CodeUses): string | undefined {
  if (Object.hasOwn(refusals, code)) return refusalPage(code as RefusalCode, uses);
  if (Object.hasOwn(violationSentences, code)) return violationPage(code as ViolationCode, uses);
  if (Object.hasOwn(warningSentences, code)) return warningPage(code as WarningCode);
  return Object.hasOwn(lineFaultSentences, code) ? lineFaultPage(code as LineFaultCode) : undefined;
}

/** The index of all codes. */
export function codeIndexPage(): string {
  const refusalRows = Object.entries(refusals).map(
    ([code, { status, sentence }]) =>
      `<tr><td>${link(code)}</td><td class="status">${status}</td><td>${escapeHtml(sentence)}</td></tr>`,
  );
  return htmlPage(
    'Codes',
    `
    <h1>Codes</h1>
    <p>Every error response has a <code>code</code>. If the request is not valid, the response also lists its faults in <code>errors</code>, each with its own code. Codes are stable; texts may change.</p>
    <h2>Rejections</h2>
    <div class="scroll"><table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${refusalRows.join('')}</tbody></table></div>
    <h2>Faults of fields</h2>
    ${sentenceTable(violationSentences)}
    <h2>Warnings</h2>
    <p>What was accepted and should be looked at, in <code>warnings</code>. It stops nothing.</p>
    ${sentenceTable(warningSentences)}
    <h2>Faults of lines</h2>
    <p>What a line of an import job alone can fail of.</p>
    ${sentenceTable(lineFaultSentences)}`,
  );
}

function sentenceTable(sentences: Readonly<Record<string, string>>): string {
  const rows = Object.entries(sentences).map(
    ([code, sentence]) => `<tr><td>${link(code)}</td><td>${escapeHtml(sentence)}</td></tr>`,
  );
  return `<div class="scroll"><table><thead><tr><th>code</th><th>meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function refusalPage(code: RefusalCode, { operations }: CodeUses): string {
  const { status, retry, sentence, page }: RefusalEntry = refusals[code];
  const guide = page && guideAddress(page);
  return htmlPage(
    code,
    `
    <p class="kind">Rejection &middot; HTTP ${status}</p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escapeHtml(sentence)}</p>
    <h2>What to do</h2>
    <p>${escapeHtml(refusalRemedies[code] ?? '')}</p>
    <p><strong>Retry:</strong> ${retryWords[retry]}</p>
    <h2>Example</h2>
    ${json(refusalExample(code))}
    <h2>Where</h2>
    ${list(operations.get(code) ?? [])}
    ${guide === undefined ? '' : `<p class="source">More: <a href="${guide}">${guide}</a></p>`}`,
  );
}

function violationPage(code: ViolationCode, { fields }: CodeUses): string {
  const known = fields.get(code) ?? [];
  const field = known.find((field) => field.includes('.')) ?? 'Account.import_supplier';
  const attr = field.split('.').slice(1).join('.').replaceAll('[]', '.0');
  return htmlPage(
    code,
    `
    <p class="kind">Fault of a field &middot; in <code>errors[]</code></p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escapeHtml(violationSentences[code])}</p>
    <h2>What to do</h2>
    <p>${escapeHtml(violationRemedies[code] ?? '')}</p>
    ${Object.hasOwn(warningSentences, code) ? `<p>In <code>warnings[]</code>: ${escapeHtml(warningRemedies[code as WarningCode])}</p>` : ''}
    <h2>Example</h2>
    ${json(violation(code, [attr]))}
    <h2>Where</h2>
    ${list(known.slice(0, FIELDS_LISTED_MAX))}
    ${known.length > FIELDS_LISTED_MAX ? `<p>and ${known.length - FIELDS_LISTED_MAX} more fields.</p>` : ''}`,
  );
}

function warningPage(code: WarningCode): string {
  return htmlPage(
    code,
    `
    <p class="kind">Warning &middot; in <code>warnings[]</code></p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escapeHtml(warningSentences[code])}</p>
    <h2>What to do</h2>
    <p>${escapeHtml(warningRemedies[code])}</p>
    <h2>Example</h2>
    ${json(warning(code, ['supply_addresses', 0]))}`,
  );
}

function lineFaultPage(code: LineFaultCode): string {
  const detail = lineFaultSentences[code];
  return htmlPage(
    code,
    `
    <p class="kind">Fault of a line of an import job</p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escapeHtml(detail)}</p>
    <h2>What to do</h2>
    <p>${escapeHtml(lineFaultRemedies[code])}</p>
    <h2>Example</h2>
    ${json({ detail, code, attr: NON_FIELD_ERRORS })}`,
  );
}

function link(code: string): string {
  return `<a href="/docs/codes/${code}/"><code>${code.replaceAll('_', '_<wbr>')}</code></a>`;
}

function list(items: readonly string[]): string {
  return items.length === 0
    ? '<p>Every operation.</p>'
    : `<ul>${items.map((item) => `<li><code>${escapeHtml(item)}</code></li>`).join('')}</ul>`;
}

function json(value: unknown): string {
  return `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`;
}
