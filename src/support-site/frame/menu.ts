import {
  AUDIT,
  BULK_ACTIONS,
  CERTIFICATES,
  EVENTS,
  FIND,
  MESSAGES,
  PARTIES,
  PERSONAL_DATA,
  STUCK,
  SUPPLIERS,
  SUPPLY_POINTS,
  WAVES,
} from './paths.ts';

/** A page of the menu. */
export interface MenuEntry {
  path: string;
  name: string;
  /** The letter that opens it after `g`. */
  key: string;
  /** Starts of the paths of other pages that belong to it. */
  also?: readonly string[];
}

/** A group of pages. */
export interface MenuGroup {
  name: string;
  entries: readonly MenuEntry[];
}

/** The pages of the menu. `/` leads to the first one. */
export const menu: readonly MenuGroup[] = [
  { name: 'Today', entries: [{ path: '/overview', name: 'Overview', key: 'o' }] },
  {
    name: 'Migration',
    entries: [
      { path: WAVES, name: 'Waves', key: 'w', also: ['/withdrawals'] },
      { path: SUPPLIERS, name: 'Suppliers', key: 'i' },
      { path: '/jobs', name: 'Jobs', key: 'j' },
      { path: CERTIFICATES, name: 'Certificates', key: 'c' },
    ],
  },
  {
    name: 'Accounts',
    entries: [
      { path: FIND, name: 'Find', key: 'f' },
      { path: '/accounts', name: 'Accounts', key: 'a', also: ['/businesses'] },
      { path: SUPPLY_POINTS, name: 'Supply points', key: 'p' },
      { path: MESSAGES, name: 'Messages', key: 'm' },
    ],
  },
  {
    name: 'System',
    entries: [
      { path: STUCK, name: 'Stuck', key: 's', also: [BULK_ACTIONS] },
      { path: PARTIES, name: 'Parties', key: 'y' },
      { path: EVENTS, name: 'Events', key: 'e' },
    ],
  },
  {
    name: 'Administration',
    entries: [
      { path: '/settings', name: 'Settings', key: 't' },
      { path: '/settings/people', name: 'People', key: 'l' },
      { path: PERSONAL_DATA, name: 'Personal data', key: 'd' },
      { path: AUDIT, name: 'Audit', key: 'u' },
    ],
  },
];

const entries = menu.flatMap((group) =>
  group.entries.flatMap((entry) => [entry.path, ...(entry.also ?? [])].map((start) => ({ group, entry, start }))),
);

/** The entry of the menu that a page belongs to: the one with the longest start of its path. */
export function menuEntryOf(path: string): { group: MenuGroup; entry: MenuEntry } | undefined {
  return entries
    .filter(({ start }) => path === start || path.startsWith(`${start}/`))
    .toSorted((one, other) => other.start.length - one.start.length)[0];
}
