import { tokenSuite } from '../../support/endpoint-suites.ts';

tokenSuite('POST', '/v1/data-import/transactions/create/');
