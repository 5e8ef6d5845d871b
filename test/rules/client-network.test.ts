import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { clientNetwork } from '../../src/platform/http/client-network.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['192.0.2.7:4711', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
  ['unknown', 'unknown'],
  ['', ''],
])('counts %p as %p', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

test("recognizes every spelling of a network's address, and keeps other strings short", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const plain = groups.map((one) => one.toString(16));
      const expected = `${plain.slice(0, 4).join(':')}::/64`;
      expect(clientNetwork(plain.join(':'))).toBe(expected);
      expect(clientNetwork(groups.map((one) => one.toString(16).padStart(4, '0').toUpperCase()).join(':'))).toBe(
        expected,
      );
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      expect(clientNetwork(text).length).toBeLessThanOrEqual(64);
    }),
  );
});
