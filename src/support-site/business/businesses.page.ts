import { listBusinesses, type ListedBusiness } from '../../businesses/index.ts';
import { code, link, moment } from '../frame/cells.ts';
import { supplierFilter } from '../frame/forms.ts';
import { t } from '../frame/language.ts';
import { listPages, type List } from '../frame/list.ts';
import { accepted, type PageRequest } from '../frame/page.ts';
import { businessPath, BUSINESSES } from '../frame/paths.ts';

/** The list of businesses, and its file. */
export const businessListPages = listPages({ path: BUSINESSES, title: () => t('Businesses'), list: businessesOf });

/** Sorted by the keys of businesses: supplier and identifier, or all of them by their numbers, the newest first. */
async function businessesOf(request: PageRequest): Promise<List<ListedBusiness>> {
  const { database, actor, query, may } = request;
  const importSupplier = query.get('import_supplier') || undefined;
  const isOpen = may('contact-data.see');
  return {
    name: 'businesses',
    path: BUSINESSES,
    label: t('Businesses'),
    filters: [await supplierFilter(request)],
    sorts: ['external_business_identifier', ...(importSupplier === undefined ? ['-service_business_id'] : [])],
    columns: {
      external_business_identifier: [
        t('Identifier'),
        (one) => link(businessPath(String(one.service_business_id)), code(one.external_business_identifier)),
        'row',
      ],
      company_name: [t('Name')],
      import_supplier: [t('Import supplier')],
      business_type: [t('Type')],
      siret: [t('SIRET'), (one) => code(one.siret)],
      service_business_id: [t('Service number'), undefined, 'number'],
      accounts: [t('Accounts'), undefined, 'number'],
      created_at: [t('Created'), (one) => moment(one.created_at)],
    },
    read: async (window) => accepted(await listBusinesses(database, actor, { importSupplier, isOpen, ...window })),
    empty: t('No business matches these filters.'),
  };
}
