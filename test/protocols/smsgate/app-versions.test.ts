import { readAppRules } from '../../../src/protocols/smsgate/app-versions.ts'

test.each([
  ['me.capcom.smsgateway/1.68.0', { atOnce: 20, needsDate: true }],
  ['me.capcom.smsgateway/1.70.3', { atOnce: 20, needsDate: true }],
  ['me.capcom.smsgateway/1.70.4', { atOnce: 1, needsDate: false }],
  ['me.capcom.smsgateway/1.74.0', { atOnce: 1, needsDate: false }],
  ['me.capcom.smsgateway/1.74.1', { atOnce: 20, needsDate: false }],
  ['me.capcom.smsgateway/1.75.0-rc1', { atOnce: 20, needsDate: false }],
  ['me.capcom.smsgateway/2.0.0', { atOnce: 20, needsDate: false }],
  ['okhttp/4.12.0', { atOnce: 1, needsDate: false }],
  ['', { atOnce: 1, needsDate: false }],
  [undefined, { atOnce: 1, needsDate: false }],
])('the rules of %s', (userAgent, rules) => {
  expect(readAppRules(userAgent)).toEqual(rules)
})
