import { readAppRules } from '../../../src/gateway/smsgate-app/app-versions.ts'

test.each([
  [
    'me.capcom.smsgateway/1.68.0',
    { atOnce: 20, needsDate: true, hasWorkHours: false, sendsMms: false },
  ],
  [
    'me.capcom.smsgateway/1.69.0',
    { atOnce: 20, needsDate: true, hasWorkHours: true, sendsMms: false },
  ],
  [
    'me.capcom.smsgateway/1.70.3',
    { atOnce: 20, needsDate: true, hasWorkHours: true, sendsMms: false },
  ],
  [
    'me.capcom.smsgateway/1.70.4',
    { atOnce: 1, needsDate: false, hasWorkHours: true, sendsMms: false },
  ],
  [
    'me.capcom.smsgateway/1.74.0',
    { atOnce: 1, needsDate: false, hasWorkHours: true, sendsMms: true },
  ],
  [
    'me.capcom.smsgateway/1.74.1',
    { atOnce: 20, needsDate: false, hasWorkHours: true, sendsMms: true },
  ],
  [
    'me.capcom.smsgateway/1.75.0-rc1',
    { atOnce: 20, needsDate: false, hasWorkHours: true, sendsMms: true },
  ],
  [
    'me.capcom.smsgateway/2.0.0',
    { atOnce: 20, needsDate: false, hasWorkHours: true, sendsMms: true },
  ],
  ['okhttp/4.12.0', { atOnce: 1, needsDate: false, hasWorkHours: true, sendsMms: false }],
  ['', { atOnce: 1, needsDate: false, hasWorkHours: true, sendsMms: false }],
  [undefined, { atOnce: 1, needsDate: false, hasWorkHours: true, sendsMms: false }],
])('the rules of %s', (userAgent, rules) => {
  expect(readAppRules(userAgent)).toEqual(rules)
})
