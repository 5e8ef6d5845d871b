import { rejectionSuite } from '../../support/endpoint-suites.ts';

rejectionSuite('POST', '/v1/data-import/payment-instruction/create/');
