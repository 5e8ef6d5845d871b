import type { Context } from 'koa';
import type { PersonSessionView } from '../../access/index.ts';
import { prefersFrench } from '../../platform/http/answer-language.ts';
import type { Language } from '../../vocabulary/french.ts';
import { pathWithin } from './form-checks.ts';
import { element, html, type Html } from './html.ts';
import { language, t } from './language.ts';
import { checkForm, formOf, hiddenToken, redirect, type PageServer } from './serve-page.ts';

const PATH = '/language';
const COOKIE = 'gangway-language';
const YEAR_SECONDS = 31_536_000;

const NAMES: readonly (readonly [Language, name: string])[] = [
  ['fr', 'Français'],
  ['en', 'English'],
];

/** The language of a request: the one that the person chose, otherwise the one that the browser prefers, otherwise English. */
export function languageOf(ctx: Context): Language {
  const chosen = ctx.cookies.get(COOKIE);
  if (chosen === 'fr' || chosen === 'en') return chosen;
  return prefersFrench(ctx.get('accept-language')) ? 'fr' : 'en';
}

/** The choice of the language. @param here the page to return to */
export function languageSwitch(session: PersonSessionView | undefined, here: string): Html {
  const buttons = NAMES.map(([value, name]) =>
    element(
      'button',
      { class: 'quiet', name: 'language', value, lang: value, 'aria-pressed': String(value === language()) },
      name,
    ),
  );
  return html`<form class="language" method="post" action="${PATH}" aria-label="${t('Language')}">
    ${session && hiddenToken(session)}<input type="hidden" name="to" value="${here}" />${buttons}
  </form>`;
}

/** Keeps the choice in a cookie, and returns to the page. */
export function languageRoute(server: PageServer) {
  return {
    method: 'POST' as const,
    path: PATH,
    answer: async (ctx: Context) => {
      const session = await server.sessions.find(ctx, true);
      ctx.state['session'] = session;
      checkForm(ctx, server, session);
      const sent = formOf(ctx);
      const chosen: Language = sent.get('language') === 'fr' ? 'fr' : 'en';
      const secure = server.origin?.startsWith('https:') ? '; Secure' : '';
      ctx.append('set-cookie', `${COOKIE}=${chosen}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax${secure}`);
      redirect(ctx, pathWithin(sent.get('to')));
    },
  };
}
