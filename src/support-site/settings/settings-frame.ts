import type { Reply } from '../../platform/http/route.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { html, type Html } from '../frame/html.ts';
import { tabs } from '../frame/list-parts.ts';
import type { PageAnswer } from '../frame/page.ts';

const TABS = [
  ['/settings', 'Import suppliers'],
  ['/settings/organisations', 'Teams and organizations'],
  ['/settings/keys', 'API keys'],
  ['/settings/people', 'People'],
  ['/settings/limit', 'Concurrency limit'],
] as const;

export type SettingsPath = (typeof TABS)[number][0];

/** A page of the settings with their tabs. */
export function settingsPage(at: SettingsPath, body: Html): { title: string; body: Html } {
  return { title: 'Settings', body: html`${tabs('Settings', TABS, at)} ${body}` };
}

/** The page after a form of the settings. */
export function backTo(done: Reply | object | Refused, redirect: string, text: string): PageAnswer {
  return isRefused(done) ? done : { redirect, flash: { kind: 'done', text } };
}
