import { rejectionSuite } from '../../support/endpoint-suites.ts';

rejectionSuite('GET', '/v1/data-import/account-transfer-status/SUPPLIER_FR/ANY-1/');
