/**
 * A page with the header of the documentation.
 * @param title escaped for HTML
 * @param content HTML
 */
export function htmlPage(title: string, content: string, language = 'en'): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - gangway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/pages.css">
</head>
<body>
<header><a class="brand" href="/docs/">gangway</a><nav><a href="/docs/guide/">Guide</a><a href="/docs/">API</a><a href="/docs/codes/">Codes</a><a href="/openapi.json">openapi.json</a></nav></header>
<main>${content}
</main>
</body>
</html>
`;
}

/** Escapes text for HTML content and attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Style sheet of the pages for suppliers, light and dark. */
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
h3 { font-size: 1rem; margin: 1.5rem 0 .4rem; }
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
