import { readAppRules } from '../../../src/protocols/smsgate/app-versions.ts'

test.each([
  ['me.capcom.smsgateway/1.68.0', { atOnce: 20, needsDate: true, hasWorkHours: false }],
  ['me.capcom.smsgateway/1.69.0', { atOnce: 20, needsDate: true, hasWorkHours: true }],
  ['me.capcom.smsgateway/1.70.3', { atOnce: 20, needsDate: true, hasWorkHours: true }],
  ['me.capcom.smsgateway/1.70.4', { atOnce: 1, needsDate: false, hasWorkHours: true }],
  ['me.capcom.smsgateway/1.74.0', { atOnce: 1, needsDate: false, hasWorkHours: true }],
  ['me.capcom.smsgateway/1.74.1', { atOnce: 20, needsDate: false, hasWorkHours: true }],
  ['me.capcom.smsgateway/1.75.0-rc1', { atOnce: 20, needsDate: false, hasWorkHours: true }],
  ['me.capcom.smsgateway/2.0.0', { atOnce: 20, needsDate: false, hasWorkHours: true }],
  ['okhttp/4.12.0', { atOnce: 1, needsDate: false, hasWorkHours: true }],
  ['', { atOnce: 1, needsDate: false, hasWorkHours: true }],
  [undefined, { atOnce: 1, needsDate: false, hasWorkHours: true }],
])('the rules of %s', (userAgent, rules) => {
  expect(readAppRules(userAgent)).toEqual(rules)
})
