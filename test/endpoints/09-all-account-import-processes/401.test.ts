import { tokenSuite } from '../../support/endpoint-suites.ts';

tokenSuite('GET', '/v1/data-import/all-account-import-processes/SUPPLIER_FR/');
