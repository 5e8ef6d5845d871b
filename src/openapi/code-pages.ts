import { frenchRefusal } from '../platform/http/answer-language.ts';
import { inFrench, type Language } from '../vocabulary/french.ts';
import { frenchPageWords } from '../vocabulary/french-page.ts';
import { lineFaultSentences, type LineFaultCode } from '../vocabulary/import-jobs.ts';
import { lineFaultRemedies, refusalRemedies, violationRemedies, warningRemedies } from '../vocabulary/remedies.ts';
import { refusals, type RefusalCode, type RefusalEntry } from '../vocabulary/refusals.ts';
import { NON_FIELD_ERRORS, violation, violationSentences, type ViolationCode } from '../vocabulary/violations.ts';
import { warning, warningSentences, type WarningCode } from '../vocabulary/warnings.ts';
import type { CodeUses } from './code-places.ts';
import { guideAddress } from './guide-pages.ts';
import { escapeHtml, htmlPage } from './html-page.ts';
import { refusalExample } from './refusal-responses.ts';

/** Maximum number of fields that a page lists; the rest is counted. */
const FIELDS_LISTED_MAX = 24;

/** Words of the pages, and the messages of the catalogs. */
interface Words {
  language: Language;
  /** A message of a catalog in the language of the page. */
  said(english: string): string;
  inLanguage(example: Record<string, unknown>): Record<string, unknown>;
  retry: Record<RefusalEntry['retry'], string>;
  rejection: string;
  fault: string;
  warning: string;
  lineFault: string;
  whatToDo: string;
  retryTitle: string;
  example: string;
  where: string;
  everywhere: string;
  more: string;
  moreFields(count: number): string;
  inWarnings: string;
}

const english: Words = {
  language: 'en',
  said: (text) => text,
  inLanguage: (example) => example,
  retry: {
    never: 'Do not send the request again.',
    'after-correction': 'Correct the request, then send it again.',
    'same-request': 'Send the same request again. It never stores anything twice.',
    later: 'Send the same request again later.',
  },
  rejection: 'Rejection',
  fault: 'Fault of a field &middot; in',
  warning: 'Warning &middot; in',
  lineFault: 'Fault of a line of an import job',
  whatToDo: 'What to do',
  retryTitle: 'Retry:',
  example: 'Example',
  where: 'Where',
  everywhere: 'Every operation.',
  more: 'More:',
  moreFields: (count) => `and ${count} more fields.`,
  inWarnings: 'In <code>warnings[]</code>:',
};

const french: Words = {
  language: 'fr',
  said: (text) => inFrench(text) ?? text,
  inLanguage: frenchRefusal,
  ...frenchPageWords,
};

/** The page of a code, or undefined if no catalog contains it. */
export function codePage(code: string, uses: CodeUses, language: Language = 'en'): string | undefined {
  const words = language === 'fr' ? french : english;
  if (Object.hasOwn(refusals, code)) return refusalPage(code as RefusalCode, uses, words);
  if (Object.hasOwn(violationSentences, code)) return violationPage(code as ViolationCode, uses, words);
  if (Object.hasOwn(warningSentences, code)) return warningPage(code as WarningCode, words);
  return Object.hasOwn(lineFaultSentences, code) ? lineFaultPage(code as LineFaultCode, words) : undefined;
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

function refusalPage(code: RefusalCode, { operations }: CodeUses, words: Words): string {
  const { status, retry, sentence, page }: RefusalEntry = refusals[code];
  const guide = page && guideAddress(page);
  return htmlPage(
    code,
    `
    <p class="kind">${words.rejection} &middot; HTTP ${status}</p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escapeHtml(words.said(sentence))}</p>
    <h2>${words.whatToDo}</h2>
    <p>${escapeHtml(words.said(refusalRemedies[code] ?? ''))}</p>
    <p><strong>${words.retryTitle}</strong> ${words.retry[retry]}</p>
    <h2>${words.example}</h2>
    ${json(words.inLanguage(refusalExample(code)))}
    <h2>${words.where}</h2>
    ${list(operations.get(code) ?? [], words)}
    ${guide === undefined ? '' : `<p class="source">${words.more} <a href="${guide}">${guide}</a></p>`}`,
    words.language,
  );
}

function violationPage(code: ViolationCode, { fields }: CodeUses, words: Words): string {
  const known = fields.get(code) ?? [];
  const field = known.find((field) => field.includes('.')) ?? 'Account.import_supplier';
  const attr = field.split('.').slice(1).join('.').replaceAll('[]', '.0');
  return htmlPage(
    code,
    `
    <p class="kind">${words.fault} <code>errors[]</code></p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escapeHtml(words.said(violationSentences[code]))}</p>
    <h2>${words.whatToDo}</h2>
    <p>${escapeHtml(words.said(violationRemedies[code] ?? ''))}</p>
    ${Object.hasOwn(warningSentences, code) ? `<p>${words.inWarnings} ${escapeHtml(words.said(warningRemedies[code as WarningCode]))}</p>` : ''}
    <h2>${words.example}</h2>
    ${json(words.inLanguage({ ...violation(code, [attr]) }))}
    <h2>${words.where}</h2>
    ${list(known.slice(0, FIELDS_LISTED_MAX), words)}
    ${known.length > FIELDS_LISTED_MAX ? `<p>${words.moreFields(known.length - FIELDS_LISTED_MAX)}</p>` : ''}`,
    words.language,
  );
}

function warningPage(code: WarningCode, words: Words): string {
  return htmlPage(
    code,
    `
    <p class="kind">${words.warning} <code>warnings[]</code></p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escapeHtml(words.said(warningSentences[code]))}</p>
    <h2>${words.whatToDo}</h2>
    <p>${escapeHtml(words.said(warningRemedies[code]))}</p>
    <h2>${words.example}</h2>
    ${json({ ...warning(code, ['supply_addresses', 0]), detail: words.said(warningSentences[code]) })}`,
    words.language,
  );
}

function lineFaultPage(code: LineFaultCode, words: Words): string {
  const detail = lineFaultSentences[code];
  return htmlPage(
    code,
    `
    <p class="kind">${words.lineFault}</p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escapeHtml(words.said(detail))}</p>
    <h2>${words.whatToDo}</h2>
    <p>${escapeHtml(words.said(lineFaultRemedies[code]))}</p>
    <h2>${words.example}</h2>
    ${json({ detail: words.said(detail), code, attr: NON_FIELD_ERRORS })}`,
    words.language,
  );
}

function link(code: string): string {
  return `<a href="/docs/codes/${code}/"><code>${code.replaceAll('_', '_<wbr>')}</code></a>`;
}

function list(items: readonly string[], words: Words): string {
  return items.length === 0
    ? `<p>${words.everywhere}</p>`
    : `<ul>${items.map((item) => `<li><code>${escapeHtml(item)}</code></li>`).join('')}</ul>`;
}

function json(value: unknown): string {
  return `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`;
}
