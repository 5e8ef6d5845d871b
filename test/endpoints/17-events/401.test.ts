import { rejectionSuite } from '../../support/endpoint-suites.ts';

rejectionSuite('GET', '/v1/data-import/events/');
