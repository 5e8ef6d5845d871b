import { lineFaultSentences, type LineFaultCode } from '../vocabulary/import-jobs.ts';
import { lineFaultRemedies, refusalRemedies, violationRemedies, warningRemedies } from '../vocabulary/remedies.ts';
import { refusals, type RefusalCode, type RefusalEntry } from '../vocabulary/refusals.ts';
import { NON_FIELD_ERRORS, violation, violationSentences, type ViolationCode } from '../vocabulary/violations.ts';
import { warning, warningSentences, type WarningCode } from '../vocabulary/warnings.ts';
import type { CodePlaces } from './code-places.ts';
import { refusalExample } from './refusal-example.ts';

/** A page lists no more fields than this; the rest is counted. */
const FIELDS_LISTED_MAX = 24;

const retryWords: Record<string, string> = {
  never: 'Do not send the request again.',
  'after-correction': 'Send it again once it is corrected.',
  'same-request': 'Send the same request again; it cannot double anything.',
  later: 'Send the same request again later.',
};

/** The page of one code, or undefined if no catalogue has it. */
export function codePage(code: string, places: CodePlaces): string | undefined {
  if (Object.hasOwn(refusals, code)) return refusalPage(code as RefusalCode, places);
  if (Object.hasOwn(violationSentences, code)) return violationPage(code as ViolationCode, places);
  if (Object.hasOwn(warningSentences, code)) return warningPage(code as WarningCode);
  return Object.hasOwn(lineFaultSentences, code) ? lineFaultPage(code as LineFaultCode) : undefined;
}

/** The list of all codes. */
export function codeIndexPage(): string {
  const refusalRows = Object.entries(refusals).map(
    ([code, { status, sentence }]) =>
      `<tr><td>${link(code)}</td><td class="status">${status}</td><td>${escape(sentence)}</td></tr>`,
  );
  const violationRows = Object.entries(violationSentences).map(
    ([code, sentence]) => `<tr><td>${link(code)}</td><td>${escape(sentence)}</td></tr>`,
  );
  const warningRows = Object.entries(warningSentences).map(
    ([code, sentence]) => `<tr><td>${link(code)}</td><td>${escape(sentence)}</td></tr>`,
  );
  const lineFaultRows = Object.entries(lineFaultSentences).map(
    ([code, sentence]) => `<tr><td>${link(code)}</td><td>${escape(sentence)}</td></tr>`,
  );
  return page(
    'Codes',
    `
    <h1>Codes</h1>
    <p>Every answer that is no success has a <code>code</code>; a request that is not valid also lists its faults in <code>errors</code>, each with a code of its own. Codes are stable, sentences may change.</p>
    <h2>Refusals</h2>
    <div class="scroll"><table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${refusalRows.join('')}</tbody></table></div>
    <h2>Faults of fields</h2>
    <div class="scroll"><table><thead><tr><th>code</th><th>meaning</th></tr></thead><tbody>${violationRows.join('')}</tbody></table></div>
    <h2>Warnings</h2>
    <p>What was accepted and should be looked at, in <code>warnings</code>. It stops nothing.</p>
    <div class="scroll"><table><thead><tr><th>code</th><th>meaning</th></tr></thead><tbody>${warningRows.join('')}</tbody></table></div>
    <h2>Faults of lines</h2>
    <p>What a line of an import job alone can fail of.</p>
    <div class="scroll"><table><thead><tr><th>code</th><th>meaning</th></tr></thead><tbody>${lineFaultRows.join('')}</tbody></table></div>`,
  );
}

function refusalPage(code: RefusalCode, { operations }: CodePlaces): string {
  const { status, retry, sentence, page: more }: RefusalEntry = refusals[code];
  return page(
    code,
    `
    <p class="kind">Refusal &middot; HTTP ${status}</p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escape(sentence)}</p>
    <h2>What to do</h2>
    <p>${escape(refusalRemedies[code] ?? '')}</p>
    <p><strong>Again?</strong> ${retryWords[retry]}</p>
    <h2>Example</h2>
    ${json(refusalExample(code))}
    <h2>Where</h2>
    ${list(operations.get(code) ?? [])}
    ${more === undefined ? '' : `<p class="source">More: ${escape(more)}</p>`}`,
  );
}

function violationPage(code: ViolationCode, { fields }: CodePlaces): string {
  const known = fields.get(code) ?? [];
  const place = known.find((field) => field.includes('.')) ?? 'Account.import_supplier';
  const attr = place.split('.').slice(1).join('.').replaceAll('[]', '.0');
  return page(
    code,
    `
    <p class="kind">Fault of a field &middot; in <code>errors[]</code></p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escape(violationSentences[code])}</p>
    <h2>What to do</h2>
    <p>${escape(violationRemedies[code] ?? '')}</p>
    ${Object.hasOwn(warningSentences, code) ? `<p>In <code>warnings[]</code>: ${escape(warningRemedies[code as WarningCode])}</p>` : ''}
    <h2>Example</h2>
    ${json(violation(code, [attr]))}
    <h2>Where</h2>
    ${list(known.slice(0, FIELDS_LISTED_MAX))}
    ${known.length > FIELDS_LISTED_MAX ? `<p>and ${known.length - FIELDS_LISTED_MAX} more fields.</p>` : ''}`,
  );
}

function warningPage(code: WarningCode): string {
  return page(
    code,
    `
    <p class="kind">Warning &middot; in <code>warnings[]</code></p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escape(warningSentences[code])}</p>
    <h2>What to do</h2>
    <p>${escape(warningRemedies[code])}</p>
    <h2>Example</h2>
    ${json(warning(code, ['supply_addresses', 0]))}`,
  );
}

function lineFaultPage(code: LineFaultCode): string {
  const detail = lineFaultSentences[code];
  return page(
    code,
    `
    <p class="kind">Fault of a line of an import job</p>
    <h1><code>${code}</code></h1>
    <p class="lead">${escape(detail)}</p>
    <h2>What to do</h2>
    <p>${escape(lineFaultRemedies[code])}</p>
    <h2>Example</h2>
    ${json({ detail, code, attr: NON_FIELD_ERRORS })}`,
  );
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - gangway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/pages.css">
</head>
<body>
<header><a class="brand" href="/docs/">gangway</a><nav><a href="/docs/">API</a><a href="/docs/codes/">Codes</a><a href="/openapi.json">openapi.json</a></nav></header>
<main>${content}
</main>
</body>
</html>
`;
}

function link(code: string): string {
  return `<a href="/docs/codes/${code}/"><code>${code.replaceAll('_', '_<wbr>')}</code></a>`;
}

function list(items: readonly string[]): string {
  return items.length === 0
    ? '<p>Wherever a request is answered.</p>'
    : `<ul>${items.map((item) => `<li><code>${escape(item)}</code></li>`).join('')}</ul>`;
}

function json(value: unknown): string {
  return `<pre><code>${escape(JSON.stringify(value, null, 2))}</code></pre>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The look of the code pages, light and dark. */
export const PAGES_CSS = `
:root { --ink: #1c2430; --soft: #5b6675; --paper: #fbfbf9; --card: #fff; --line: #e3e5e8; --accent: #0b6bcb; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --soft: #98a3b3; --paper: #11151b; --card: #1a2029; --line: #2b333f; --accent: #6cb2f7; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
header { display: flex; gap: 1.5rem; align-items: baseline; padding: .9rem clamp(1rem, 4vw, 2.5rem); border-bottom: 1px solid var(--line); background: var(--card); }
.brand { font-weight: 700; color: var(--ink); text-decoration: none; letter-spacing: .01em; }
nav { display: flex; gap: 1.1rem; flex-wrap: wrap; font-size: .93rem; }
main { max-width: 50rem; margin: 0 auto; padding: 2rem clamp(1rem, 4vw, 2.5rem) 4rem; }
a { color: var(--accent); text-underline-offset: .15em; }
h1 { font-size: clamp(1.35rem, 4vw, 1.9rem); line-height: 1.25; margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.kind, .source { color: var(--soft); font-size: .9rem; margin: 0; }
.source { margin-top: 2rem; }
.lead { font-size: 1.12rem; margin: 0; }
code { font: .92em/1.5 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; overflow-x: auto; }
ul { padding-left: 1.2rem; }
li { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .45rem .8rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.status { font-variant-numeric: tabular-nums; }
`;
