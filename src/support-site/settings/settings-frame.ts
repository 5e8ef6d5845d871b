import { html, type Html } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { tabs } from '../frame/parts.ts';

const TABS = [
  ['/settings', 'Import suppliers'],
  ['/settings/organisations', 'Teams and organizations'],
  ['/settings/keys', 'API keys'],
  ['/settings/people', 'People'],
  ['/settings/limit', 'Concurrency limit'],
] as const;

/** A page of the settings with their tabs. People of import suppliers have no other one. */
export function settingsPage(at: (typeof TABS)[number][0], body: Html, hasTabs = true): { title: string; body: Html } {
  const [, title] = TABS.find(([path]) => path === at)!;
  const names = TABS.map(([path, name]) => [path, t(name)] as const);
  return { title: t(title), body: html`${hasTabs && tabs(t('Settings'), names, at)} ${body}` };
}
