import { tokenSuite } from '../../support/endpoint-suites.ts';

tokenSuite('GET', '/v1/data-import/events/');
