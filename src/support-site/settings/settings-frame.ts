import type { Reply } from '../../platform/http/route.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { html, type Html } from '../frame/html.ts';
import { tabs } from '../frame/list-parts.ts';
import type { PageAnswer } from '../frame/page.ts';

/** The pages of the settings, in the order of their tabs. */
const TABS = [
  ['/settings', 'Import suppliers'],
  ['/settings/organisations', 'Teams and organisations'],
  ['/settings/keys', 'API keys'],
  ['/settings/people', 'People'],
  ['/settings/limit', 'Limit'],
] as const;

export type SettingsPath = (typeof TABS)[number][0];

/** A page of the settings, with the tabs above it. */
export function settingsPage(at: SettingsPath, body: Html): { title: string; body: Html } {
  return { title: 'Settings', body: html`${tabs('Settings', TABS, at)} ${body}` };
}

/** Where a form of the settings leads. */
export function ledBack(done: Reply | object | Refused, redirect: string, text: string): PageAnswer {
  return isRefused(done) ? done : { redirect, flash: { kind: 'done', text } };
}
