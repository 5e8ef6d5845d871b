import type { PersonSessionView } from '../../access/index.ts';
import type { Language } from '../../vocabulary/french.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import { code, count } from './cells.ts';
import { element, html, type Html, type Part } from './html.ts';
import { inLanguage, language, t, translated } from './language.ts';
import { languageSwitch } from './language-switch.ts';
import { menuEntryOf, menuFor, type MenuEntry } from './menu.ts';
import { FIND, PALETTE } from './paths.ts';
import { hiddenToken } from './serve-page.ts';

interface FrameOptions {
  title: string;
  body: Html;
  /** The language of title and body; that of the request is the language of the frame. */
  bodyLanguage: Language;
  session: PersonSessionView | undefined;
  /** Path of the page, for the menu. */
  path: string;
  /** Address of the page, to return to after a change of the language. */
  here: string;
  /** Pages between the entry of the menu and this page. */
  above: readonly Crumb[];
  /** The name of the installation; undefined without SUPPORT_SITE_ENVIRONMENT. */
  environment: string | undefined;
  /** How many decisions wait, by the path of their entry in the menu. */
  waiting: ReadonlyMap<string, number>;
  assets: { style: Html; htmx: string; script: string };
}

/** A page above another one: its path, and its name. */
export type Crumb = readonly [path: string, name: string];

/** The content security policy forbids inline styles and code in attributes, which htmx uses by default. */
const HTMX_CONFIG = JSON.stringify({
  includeIndicatorStyles: false,
  allowEval: false,
  allowScriptTags: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
});

/** Writes a whole page: head, menu, flash message and content. */
export function wholePage(options: FrameOptions): string {
  const { title, session, path, here, environment, assets } = options;
  return html`<!doctype html>
    <html lang="${language()}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content="${HTMX_CONFIG}" />
        <title>${title} – gangway</title>
        <link rel="icon" href="data:," />
        ${assets.style}
        <script src="${assets.htmx}" defer></script>
        <script src="${assets.script}" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">${t('Skip to content')}</a>
        <header class="top">
          ${session && html`<button class="quiet menu-button" type="button" popovertarget="menu">${t('Menu')}</button>`}
          <a class="brand" href="/">gangway</a>
          ${environment !== undefined && html`<span class="environment ${toneOf(environment)}">${environment}</span>`}
          ${session && searchField(session)}
          <button id="pause-updates" class="quiet" type="button" data-resume="${t('Resume updates')}" hidden>
            ${t('Pause updates')}
          </button>
          ${session === undefined && languageSwitch(session, here)}
        </header>
        ${session && sideMenu(path, session, options)} ${mainPart(options)}
        ${session && html`${paletteDialog(session)} ${keysDialog(session)}`}
      </body>
    </html> `.toString();
}

function mainPart({ title, body, bodyLanguage, session, path, above }: FrameOptions): Html {
  const flash = session?.flash;
  const isOther = bodyLanguage !== language();
  const content = inLanguage(
    bodyLanguage,
    () =>
      html`${session && breadcrumbs(path, title, above, session)}
        <div id="message">${flash && html`<p class="flash flash-${flash.kind}" role="status">${flash.text}</p>`}</div>
        <h1>${title}</h1>
        ${body}
        <footer class="fine">
          ${t('Dates and times are local time in France (Europe/Paris, CET or CEST). Hover over a time to see it in UTC.')}
        </footer>`,
  );
  return element('main', { id: 'content', lang: isOther && bodyLanguage }, content);
}

/** Tones of environments other than production. */
const TONES = ['environment-a', 'environment-b', 'environment-c', 'environment-d'] as const;

/** The color of an environment: red for production, so that it is never taken for another one; for others one of four, by its name. */
function toneOf(environment: string): string {
  if (/^prod/i.test(environment)) return 'environment-production';
  const sum = Buffer.from(environment).reduce((so, byte) => so + byte, 0);
  return TONES[sum % TONES.length] ?? TONES[0];
}

/** The search of every page. The text is sent in a form, because addresses must not contain names. */
function searchField(session: PersonSessionView): Html {
  const field = { type: 'search', name: 'q', id: 'search', maxlength: 255, required: true, 'aria-label': t('Find') };
  const placeholder =
    session.viewer === undefined ? t('Find an account, a person, a job ...') : t('Find an account or a job');
  return html`<form class="search" role="search" aria-label="${t('Find anything')}" method="post" action="${FIND}">
    ${hiddenToken(session)}${element('input', { ...field, placeholder, 'aria-keyshortcuts': '/' })}
  </form>`;
}

/** The pages in groups. Narrow windows show it as a drawer, which browsers open without scripts. */
function sideMenu(path: string, session: PersonSessionView, { waiting, here }: FrameOptions): Html {
  const current = menuEntryOf(path, session.viewer)?.entry;
  return html`<div class="side" id="menu" popover>
    <nav aria-label="${t('Pages')}">
      ${menuFor(session.viewer).map(
        ({ name, entries }) =>
          html`<details open data-keep="${name}">
            <summary>${t(name)}</summary>
            ${entries.map((entry) => menuLink(entry, entry === current, waiting.get(entry.path)))}
          </details>`,
      )}
    </nav>
    <form class="person" method="post" action="/sign-out">
      ${hiddenToken(session)}<span>${session.name} <small>${translated(session.role)}</small></span>
      <button class="quiet">${t('Sign out')}</button>
    </form>
    ${languageSwitch(session, here)}
  </div>`;
}

function menuLink({ path, name, key }: MenuEntry, isCurrent: boolean, waiting: number | undefined): Html {
  const number =
    waiting !== undefined &&
    html`<span class="waiting" title="${t('Waiting for a decision')}">${count(waiting)}</span>`;
  return element('a', { href: path, 'aria-current': isCurrent && 'page', 'data-go': key }, html`${t(name)} ${number}`);
}

/** The command palette, which a script opens. Its results are written by the server. */
function paletteDialog(session: PersonSessionView): Html {
  const words = t('Go to a page, an account, a job or an action');
  const input = { type: 'search', name: 'q', maxlength: 255, 'aria-label': words, placeholder: words };
  const load = {
    'hx-post': PALETTE,
    'hx-trigger': 'input changed delay:150ms, focus once',
    'hx-target': '#palette-results',
    'hx-sync': 'this:replace',
  };
  return html`<dialog id="palette" aria-label="${t('Command palette')}">
    <form method="post" action="${FIND}">
      ${hiddenToken(session)}${element('input', { ...input, ...load, autocomplete: 'off' })}
    </form>
    <div id="palette-results"></div>
  </dialog>`;
}

/** What each key does. */
const KEYS: readonly (readonly [keys: string, meaning: Words])[] = [
  ['Ctrl K', 'command palette'],
  ['/', 'search'],
  ['j, k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['r', 'retry the selection, or refresh'],
  ['?', 'these keys'],
];

function keysDialog({ viewer }: PersonSessionView): Html {
  const pages = menuFor(viewer).flatMap(({ entries }) => entries.map(({ name, key }) => [`g ${key}`, name] as const));
  return html`<dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">${t('Keys')}</h2>
    <dl class="pairs">
      ${[...KEYS, ...pages].map(
        ([key, meaning]) =>
          html`<dt><kbd>${key}</kbd></dt>
            <dd>${t(meaning)}</dd>`,
      )}
    </dl>
    <p>
      <label><input id="keys-on" type="checkbox" checked /> ${t('Single keys are on')}</label>
    </p>
    <form method="dialog"><button class="quiet">${t('Close')}</button></form>
  </dialog>`;
}

/** The way to a page: group, list, thing. A group with the name of its list is omitted. */
function breadcrumbs(path: string, title: string, above: readonly Crumb[], { viewer }: PersonSessionView): Part {
  const place = menuEntryOf(path, viewer);
  if (place === undefined) return false;
  const { group, entry } = place;
  const isList = entry.path === path && title === t(entry.name);
  const links = isList ? [] : [[entry.path, t(entry.name)] as const, ...above];
  return html`<nav class="crumbs" aria-label="${t('Breadcrumbs')}">
    <ol>
      ${group.name !== entry.name && html`<li>${t(group.name)}</li>`}
      ${links.map(([to, name]) => html`<li><a href="${to}">${name}</a></li>`)}
      <li aria-current="page">${title}</li>
    </ol>
  </nav>`;
}

/** The body of an error page. */
export function faultBody(sentence: string, { requestId, traceId }: { requestId: string; traceId?: string }): Html {
  return html`<p>${sentence}</p>
    <p class="fine">
      ${t('Request ID: {id}. The log of the support site has an entry with this ID.', { id: code(requestId) })}
      ${traceId !== undefined && t('Trace ID: {id}.', { id: code(traceId) })}
    </p>
    <p><a href="/">${t('Back to the start page')}</a></p>`;
}
