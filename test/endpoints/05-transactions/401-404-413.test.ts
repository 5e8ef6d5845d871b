import { payment } from '../../support/attachments.ts';
import { rejectionSuite } from '../../support/endpoint-suites.ts';

rejectionSuite('POST', '/v1/data-import/transactions/create/', { kind: 'transactions', items: [payment('P-1')] });
