import { hideNumbers } from '../../../src/platform/tools/loggable-texts.ts'
import { readCall } from '../../../src/programs/agent/drivers/http/read-call.ts'
import { CALLBACK, carrierOf } from '../../programs/agent/drivers/http/carrier-fixture.ts'

test('the names of the fields of an unknown event have neither numbers nor words of people', () => {
  const data = { event_type: 'call.began', 'Call Ann 0151 20000010, Code': 7, n_0151_2000_0010: {} }
  const call = {
    method: 'POST',
    url: `${CALLBACK}?+4915120000010=1`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ data })),
  }
  expect(readCall(carrierOf('clickatell'), call)?.unknown).toEqual([
    ['…', 'data', 'data.event_type', 'data.…', 'data.…'],
  ])
})

test.each([
  [
    'The carrier refused it: 401, 20003 Authenticate',
    'The carrier refused it: 401, 20003 Authenticate',
  ],
  ['400, 21211 To +49 (151) 1234-5678 is wrong', '400, 21211 To … is wrong'],
  ['0151.200.00010, 0151_200_00010', '…, …'],
  ['/api/sms/%2B4915112345678', '/api/sms/…'],
  ['/api/records/1234567abcdefgh/123456', '/api/records/1234567abcdefgh/123456'],
])('%s is logged as %s', (text, logged) => {
  expect(hideNumbers(text)).toBe(logged)
})

test('a long text of digits is read in linear time', () => {
  const text = `${'1 '.repeat(500_000)}a`
  expect(hideNumbers(text)).toBe('… a')
})
