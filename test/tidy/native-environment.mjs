// The environment of tests whose service code Node loads by itself (native-transform.mjs).
import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

const load = createRequire(import.meta.url);

export default class NativeEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.loadNatively = load;
    // What the natively loaded driver of the database hands out is a Date of Node's own; a test's `Date` must be the same.
    this.global.Date = Date;
    globalThis.isInTests = true;
  }
}
