import { rejectionSuite } from '../../support/endpoint-suites.ts';

rejectionSuite('POST', '/v1/data-import/notes/create/', { kind: 'notes', items: [{ body: 'a' }] });
