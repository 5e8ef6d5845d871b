/** Configuration of the reference (Scalar). Everything that would call an external address is off. */
const CONFIGURATION = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'token', securitySchemes: { token: { value: 'Token <ACCESS_TOKEN>' } } },
  defaultOpenFirstTag: true,
  documentDownloadType: 'direct',
  operationTitleSource: 'summary',
  metaData: { title: 'gangway - API' },
  customCss:
    ':root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; } a[href^="https://www.scalar.com"] { display: none !important; }',
};

/** Starts the reference. A separate file, because the page's policy forbids inline scripts. */
export const REFERENCE_START = `Scalar.createApiReference('#reference', ${JSON.stringify(CONFIGURATION)});\n`;

/** `GET /docs/`: the OpenAPI document for people. */
export function referencePage(files: { script: string; start: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>gangway - API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>, the guide at <a href="/docs/guide/">/docs/guide/</a>, the codes at <a href="/docs/codes/">/docs/codes/</a>.</noscript>
<div id="reference"></div>
<script src="${files.script}"></script>
<script src="${files.start}"></script>
</body>
</html>
`;
}
