// The environment of tests whose service code Node loads by itself (native-transform.mjs).
import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

const load = createRequire(import.meta.url);

export default class NativeEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.loadNatively = load;
    globalThis.isInTests = true;
  }
}
