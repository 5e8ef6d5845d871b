import type { PersonSessionView } from '../../access/index.ts';
import { html, type Html } from './html.ts';
import { currentLinks } from './parts.ts';
import { hiddenToken } from './serve-page.ts';

interface FrameOptions {
  title: string;
  body: Html;
  session: PersonSessionView | undefined;
  menu: readonly (readonly [path: string, name: string])[];
  /** Path of the page, for the menu. */
  path: string;
  assets: { css: string; htmx: string; script: string };
}

/** The content security policy forbids inline styles and code in attributes, which htmx uses by default. */
const HTMX_CONFIG = JSON.stringify({
  includeIndicatorStyles: false,
  allowEval: false,
  allowScriptTags: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
});

/** Writes a whole page: head, menu, flash message and content. */
export function wholePage({ title, body, session, menu, path, assets }: FrameOptions): string {
  const flash = session?.flash;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content="${HTMX_CONFIG}" />
        <title>${title} – gangway</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${assets.css}" />
        <script src="${assets.htmx}" defer></script>
        <script src="${assets.script}" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="top">
          <a class="brand" href="/">gangway</a>
          ${
            session !== undefined &&
            html`<nav aria-label="Pages">${currentLinks(menu, (section) => isWithin(path, section))}</nav>`
          }
          <button id="pause-updates" class="quiet" type="button" hidden>Pause updates</button>
          ${session !== undefined && whoIsHere(session)}
        </header>
        <main id="content">
          ${flash && html`<p class="flash flash-${flash.kind}" role="status">${flash.text}</p>`}
          <h1>${title}</h1>
          ${body}
        </main>
        <footer class="fine">
          Dates and times are local time in France (Europe/Paris, CET or CEST). Hover over a time to see it in UTC.
        </footer>
      </body>
    </html> `.toString();
}

function isWithin(path: string, section: string): boolean {
  return path === section || (section !== '/' && path.startsWith(`${section}/`));
}

function whoIsHere(session: PersonSessionView): Html {
  return html`<form class="person" method="post" action="/sign-out">
    ${hiddenToken(session)}<span>${session.name} <small>${session.role}</small></span>
    <button class="quiet">Sign out</button>
  </form>`;
}

/** The body of an error page. */
export function faultBody(sentence: string, { requestId, traceId }: { requestId: string; traceId?: string }): Html {
  return html`<p>${sentence}</p>
    <p class="fine">
      Request ID: <code>${requestId}</code>. The log of the support site has an entry with this
      ID.${traceId !== undefined && html` Trace ID: <code>${traceId}</code>.`}
    </p>
    <p><a href="/">Back to the start page</a></p>`;
}
