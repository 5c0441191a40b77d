import { expect, test } from 'vitest'
import { BLANK, faultsOf, requestOf } from '../../console/src/pages/send/composition.ts'
import { placeFault } from '../../console/src/pages/send/place-fault.ts'
import { isList, readNumbers, withMore } from '../../console/src/pages/send/recipients/numbers.ts'

test.each([
  ['one', '+4915112345678', ['+4915112345678']],
  ['as people write them', '+49 (0) 151-1234 5678', ['+4915112345678']],
  ['with 00', '0049 151 12345678', ['+4915112345678']],
  [
    'lines, commas, semicolons, tabs',
    '+4911\n+4912,+4913; +4914\t+4915\r\n',
    ['+4911', '+4912', '+4913', '+4914', '+4915'],
  ],
  ['spaces, where a plus follows', '+49 151 1 +49 151 2', ['+491511', '+491512']],
  ['bad ones as typed', '0151 12, call me', ['!0151 12', '!call me']],
  ['nothing', ' ,\n ', []],
])('numbers are read: %s', (_, text, numbers) => {
  expect(readNumbers(text).map(({ phone, isBad }) => (isBad ? `!${phone}` : phone))).toEqual(numbers)
})

test('a number in parts is no list', () => {
  expect(isList('+49 151 12345678')).toBe(false)
  expect(isList('+4911, +4912')).toBe(true)
})

test('doubles count once', () => {
  const { recipients, doubles } = withMore(readNumbers('+4911'), readNumbers('0049 11, +4912, +49 12'))
  expect(recipients.map(({ phone }) => phone)).toEqual(['+4911', '+4912'])
  expect(doubles).toBe(2)
})

const READY = { ...BLANK, recipients: readNumbers('+4911'), text: 'Hello' }
const NOW = Date.parse('2026-11-20T12:00:00Z')

test('a request has only what is not at its default', () => {
  expect(requestOf(READY, [])).toEqual({ recipients: ['+4911'], body: 'Hello' })
  const full = requestOf(
    {
      ...READY,
      ...{ kind: 'template', template: 't1', variables: { day: 'Monday', old: 'x' }, groups: ['g1'] },
      ...{ isLater: true, at: '2026-11-21T08:30', device: 'd1', sim: '2', priority: '5' },
      ...{ guarantee: 'at_least_once', giveUp: '3600' },
    },
    ['day'],
  )
  expect(full).toEqual({
    ...{ recipients: ['+4911'], group_ids: ['g1'], template_id: 't1', variables: { day: 'Monday' } },
    ...{ scheduled_at: new Date('2026-11-21T08:30').toISOString(), device_id: 'd1', sim: 2, priority: 5 },
    ...{ guarantee: 'at_least_once', ttl: 3600 },
  })
})

test.each([
  ['ready', {}, []],
  ['nobody', { recipients: [] }, ['to']],
  ['a group is somebody', { recipients: [], groups: ['g1'] }, []],
  ['a bad number', { recipients: readNumbers('+4911, nobody') }, ['to']],
  ['no text', { text: '' }, ['text']],
  ['1,600 characters, each of two units', { text: '😀'.repeat(1600) }, []],
  ['one more', { text: '😀'.repeat(1601) }, ['text']],
  ['no template', { kind: 'template' }, ['template', 'variable day']],
  ['no value', { kind: 'template', template: 't1' }, ['variable day']],
  ['no time', { isLater: true }, ['at']],
  ['a past time', { isLater: true, at: '2026-11-19T12:00' }, ['at']],
] as const)('what is missing: %s', (_, change, fields) => {
  expect(Object.keys(faultsOf({ ...READY, ...change }, ['day'], NOW))).toEqual(fields)
})

test.each([
  ['invalid_phone_number', 'Phone number must be in E.164 format', 'to'],
  ['too_many_recipients', 'At most 1000 recipients per request', 'to'],
  ['invalid_request', 'recipients[3] must be a text', 'to'],
  ['invalid_request', 'expires_at must lie in the future, after scheduled_at', 'giveUp'],
  ['body_too_long', 'Message body must be at most 1600 characters', 'text'],
  ['device_not_found', 'Device not found', 'device'],
  ['', 'Missing variable: day.', 'variable day'],
  ['', 'Template not found.', 'template'],
  ['quota_exceeded', 'Monthly message quota exceeded', undefined],
])('a refusal is told where it belongs: %s %s', (code, message, field) => {
  const { fields } = placeFault({ code, message, status: 400, fields: {} })
  expect(Object.keys(fields)[0]).toBe(field)
})
