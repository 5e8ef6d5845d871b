import { listBusinesses, type ListedBusiness } from '../../businesses/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { code, link, moment } from '../frame/cells.ts';
import { supplierChoice } from '../frame/forms.ts';
import { html } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { filePage, listFilter, listPart, type List } from '../frame/list.ts';
import { accepted, page, type PageRequest } from '../frame/page.ts';
import { businessPath, BUSINESSES } from '../frame/paths.ts';

/** The list of businesses, and its file. */
export const businessListPages = [
  page(BUSINESSES, async (request) => {
    const codes = await supplierCodes(request.suppliers);
    const fields = [supplierChoice(codes, request.query.get('import_supplier'), t('all'))];
    const body = html`${listFilter(request, BUSINESSES, fields)} ${await listPart(request, businessesOf(request))}`;
    return { title: t('Businesses'), body };
  }),
  filePage(BUSINESSES, businessesOf),
];

/** Sorted by the keys of businesses: supplier and identifier, or all of them by their numbers, the newest first. */
function businessesOf({ database, actor, query, may }: PageRequest): List<ListedBusiness> {
  const importSupplier = query.get('import_supplier') || undefined;
  const isOpen = may('contact-data.see');
  return {
    name: 'businesses',
    path: BUSINESSES,
    label: t('Businesses'),
    sorts: ['external_business_identifier', ...(importSupplier === undefined ? ['-service_business_id'] : [])],
    columns: {
      external_business_identifier: [
        t('Identifier'),
        (one) => link(businessPath(String(one.service_business_id)), code(one.external_business_identifier)),
        'row',
      ],
      company_name: [t('Name'), (one) => one.company_name],
      import_supplier: [t('Import supplier'), (one) => one.import_supplier],
      business_type: [t('Type'), (one) => one.business_type],
      siret: [t('SIRET'), (one) => code(one.siret)],
      service_business_id: [t('Service number'), (one) => one.service_business_id, 'number'],
      accounts: [t('Accounts'), (one) => one.accounts, 'number'],
      created_at: [t('Created'), (one) => moment(one.created_at)],
    },
    read: async (window) => accepted(await listBusinesses(database, actor, { importSupplier, isOpen, ...window })),
    empty: t('No business matches these filters.'),
  };
}
