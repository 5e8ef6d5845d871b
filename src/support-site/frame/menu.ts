import type { Viewer } from '../../platform/http/route.ts';
import { isForSuppliers } from './supplier-pages.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import {
  ACCOUNTS,
  AUDIT,
  BULK_ACTIONS,
  CAUSES,
  BUSINESSES,
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
  name: Words;
  /** The letter that opens it after `g`. */
  key: string;
  /** Starts of the paths of other pages that belong to it. */
  also?: readonly string[];
}

/** A group of pages. */
export interface MenuGroup {
  name: Words;
  entries: readonly MenuEntry[];
}

/** The pages of the menu of staff. `/` leads to the first one. */
export const menu: readonly MenuGroup[] = [
  { name: 'Today', entries: [{ path: '/overview', name: 'Overview', key: 'o' }] },
  {
    name: 'Migration',
    entries: [
      { path: WAVES, name: 'Waves', key: 'w', also: ['/withdrawals'] },
      { path: SUPPLIERS, name: 'Suppliers', key: 'i' },
      { path: '/jobs', name: 'Jobs', key: 'j' },
      { path: CAUSES, name: 'Causes', key: 'b' },
      { path: CERTIFICATES, name: 'Certificates', key: 'c' },
    ],
  },
  {
    name: 'Accounts',
    entries: [
      { path: FIND, name: 'Find', key: 'f' },
      { path: ACCOUNTS, name: 'Accounts', key: 'a' },
      { path: BUSINESSES, name: 'Businesses', key: 'n' },
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

const KEYS: MenuEntry = { path: '/settings/keys', name: 'API keys', key: 'k' };

const menuOfSuppliers: readonly MenuGroup[] = menu
  .map((group) => (group.name === 'Administration' ? { ...group, entries: [KEYS] } : group))
  .map(({ name, entries: all }) => ({
    name,
    entries: all.filter(({ path }) => isForSuppliers({ method: 'GET', path })),
  }))
  .filter((group) => group.entries.length > 0);

/** The menu of a person: of staff, or of people of import suppliers. */
export function menuFor(viewer: Viewer | undefined): readonly MenuGroup[] {
  return viewer === undefined ? menu : menuOfSuppliers;
}

const startsOf = (groups: readonly MenuGroup[]) =>
  groups.flatMap((group) =>
    group.entries.flatMap((entry) => [entry.path, ...(entry.also ?? [])].map((start) => ({ group, entry, start }))),
  );

const entriesOfStaff = startsOf(menu);
const entriesOfSuppliers = startsOf(menuOfSuppliers);

/** The entry of the menu that a page belongs to: the one with the longest start of its path. */
export function menuEntryOf(
  path: string,
  viewer: Viewer | undefined,
): { group: MenuGroup; entry: MenuEntry } | undefined {
  return (viewer === undefined ? entriesOfStaff : entriesOfSuppliers)
    .filter(({ start }) => path === start || path.startsWith(`${start}/`))
    .toSorted((one, other) => other.start.length - one.start.length)[0];
}
