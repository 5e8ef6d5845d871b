import { tokenSuite } from '../../support/endpoint-suites.ts';

tokenSuite('GET', '/v1/data-import/account-transfer-status/SUPPLIER_FR/ANY-1/');
