import { expect, test } from '@jest/globals';
import { wavesOf, findUrlViolations, isAllowedAddress } from '../../src/events/event.rules.ts';

test.each([
  ['1.1.1.1', true],
  ['2606:4700:4700::1111', true],
  ['127.0.0.1', false],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['169.254.169.254', false],
  ['172.31.255.255', false],
  ['192.168.1.1', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::1', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['::7f00:1', false],
  ['::127.0.0.1', false],
  ['100::1', false],
  ['100:0:0:1::1', false],
  ['3ffe::1', false],
  ['localhost', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isAllowedAddress(address, false)).toBe(isPublic);
});

test.each([
  ['1.1.1.1', true],
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['fd00::1', true],
  ['::ffff:192.168.1.1', true],
  ['169.254.169.254', false],
  ['::ffff:169.254.169.254', false],
  ['fe80::1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
])('allows %s where private addresses are allowed: %s', (address, isAllowed) => {
  expect(isAllowedAddress(address, true)).toBe(isAllowed);
});

test.each([
  ['https://hooks.example.com/a?b=c', false, true],
  ['https://127.0.0.1/', false, false],
  ['https://2130706433/', false, false],
  ['https://0x7f.1/', false, false],
  ['https://[::1]/', false, false],
  ['https://[::ffff:10.0.0.1]/', false, false],
  ['https://localhost/', false, false],
  ['https://a.LOCALHOST./', false, false],
  ['http://localhost/', true, true],
  ['http://10.0.0.1/', true, true],
  ['http://169.254.169.254/latest/', true, false],
  ['http://[fe80::1]/', true, false],
  ['http://hooks.example.com/', false, false],
  ['http://hooks.example.com/', true, true],
  ['ftp://hooks.example.com/', true, false],
  ['hooks.example.com', true, false],
  ['https://', true, false],
  ['https://user@hooks.example.com/', false, false],
  ['https://user:word@hooks.example.com/', false, false],
  ['https://hooks.example.com/#part', false, false],
])('%s, plain HTTP allowed %s: accepted %s', (url, allowsPlain, isTaken) => {
  expect(findUrlViolations(url, allowsPlain).length === 0).toBe(isTaken);
});

test('never sends events of one subject concurrently, and sends all in order', () => {
  const events = ['a', 'b', 'a', 'c', 'd', 'e', 'e'].map((subject, position) => ({ subject, position }));
  const waves = wavesOf(events, 3);
  expect(waves.map((wave) => wave.map(({ subject }) => subject).join(''))).toEqual(['ab', 'acd', 'e', 'e']);
  expect(waves.flat()).toEqual(events);
});
