import { unknownAccountSuite } from '../../support/endpoint-suites.ts';

unknownAccountSuite('notes', [{ body: 'a' }]);
