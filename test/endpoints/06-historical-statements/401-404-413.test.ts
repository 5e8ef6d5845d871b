import { statement } from '../../support/attachments.ts';
import { rejectionSuite } from '../../support/endpoint-suites.ts';

rejectionSuite('POST', '/v1/data-import/historical-statements/create/', {
  kind: 'statements',
  items: [statement('S-1')],
});
