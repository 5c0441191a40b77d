import { ClientResponseError } from 'pocketbase'
import { readFault } from '../../console/src/data/fault.ts'
import { isNumberList, readNumbers } from '../../console/src/data/phone/number-list.ts'
import type { Campaign } from '../../console/src/data/record-types.ts'
import {
  addRecipients,
  BLANK,
  copyCampaign,
  countWithout,
  makePreview,
  makeRequest,
} from '../../console/src/pages/send/composition.ts'
import { findFaults, placeFault } from '../../console/src/pages/send/composition-faults.ts'

test.each([
  ['one', '+4915112345678', ['+4915112345678']],
  ['as people write them', '+49 (0) 151-1234 5678', ['+4915112345678']],
  ['with 00', '0049 151 12345678', ['+4915112345678']],
  ['of the own country', '0151 20000010', ['+4915120000010']],
  [
    'lines, commas, semicolons, tabs',
    '+4915120000010\n0151 20000011,+4915120000012; 0151/20000013\t+4915120000014\r\n',
    [0, 1, 2, 3, 4].map((last) => `+491512000001${last}`),
  ],
  [
    'spaces, where a plus follows',
    '+49 151 20000010 +49 151 20000011',
    ['+4915120000010', '+4915120000011'],
  ],
  [
    'with names',
    'Anna <+49 151 20000010> Ben <0151 20000011>',
    ['+4915120000010', '+4915120000011'],
  ],
  ['a link with an extension', 'tel:+49-151-20000010;ext=5', ['!tel:+49-151-20000010;ext=5']],
  ['invalid numbers are kept as typed', '0151 12, call me', ['!0151 12', '!call me']],
  ['nothing', ' ,\n ', []],
])('typed numbers (%s) are read as $2', (_, text, numbers) => {
  expect(readNumbers(text, 'DE').map(({ phone, fault }) => (fault ? `!${phone}` : phone))).toEqual(
    numbers,
  )
})

test('a single number with spaces is not taken for a list', () => {
  expect(isNumberList('+49 151 12345678')).toBe(false)
  expect(isNumberList('Anna +49 151 12345678')).toBe(false)
  expect(isNumberList('+4915120000010, +4915120000011')).toBe(true)
})

test('duplicate numbers count once', () => {
  const more = readNumbers('0049 151 20000010, 0151 20000011, +49 151 20000011', 'DE')
  const { recipients, doubles } = addRecipients(readNumbers('+4915120000010', ''), more)
  expect(recipients.map(({ phone }) => phone)).toEqual(['+4915120000010', '+4915120000011'])
  expect(doubles).toBe(2)
})

test('people without a value for a variable are counted by their previewed texts', () => {
  const texts = [
    'Dear {{ parent }}, hello {{Class}}',
    'Dear Ana, hello {{Class}}',
    'Dear {{parents}}',
  ]
  const items = texts.map((body) => ({
    to: '+4915120000010',
    body,
    segments: 1,
    opted_out: false,
    without_consent: false,
  }))
  expect(countWithout({ items }, 'Parent')).toBe(1)
  expect(countWithout({ items }, 'Class')).toBe(2)
  expect(countWithout({ items: [] }, 'Parent')).toBe(0)
})

const READY = { ...BLANK, recipients: readNumbers('+4915120000010', ''), text: 'Hello' }
const NOW = Date.parse('2026-11-20T12:00:00Z')

test('a copy of a campaign keeps its recipients, text and sending options, but not its time', () => {
  const campaign: Campaign = {
    collectionId: '',
    collectionName: 'campaigns',
    id: 'c1',
    user: 'u1',
    created: '',
    updated: '',
    changed_by: '',
    reminder: null,
    made_by: '',
    rows: 0,
    left_out: 0,
    filter: 'name = "Ann"',
    of_campaign: '',
    of_state: '',
    name: 'Sale',
    body: 'Hello',
    template: '',
    variables: null,
    quiet_hours: true,
    attachments: [],
    subject: '',
    mms: '',
    error: '',
    groups: ['g1'],
    recipients: ['+4915120000010'],
    scheduled_at: '2026-11-20 08:00:00.000Z',
    begins_at: '',
    expires_at: '',
    status: 'done' as const,
    batch_id: 'b1',
    batches: ['b1'],
    revision: 1,
    recipients_count: 9,
    segments: 9,
    device: '',
    line: 'l1',
    sim: 0,
    priority: 5,
    guarantee: 'at_least_once' as const,
    repeat: null,
    runs: 0,
    run_of: '',
    requires_consent: false,
    without_consent: null,
  }
  expect(makeRequest(copyCampaign(campaign), [])).toEqual({
    name: 'Sale',
    filter: 'name = "Ann"',
    recipients: ['+4915120000010'],
    group_ids: ['g1'],
    body: 'Hello',
    line_id: 'l1',
    priority: 5,
    guarantee: 'at_least_once',
  })
  const ofDevice: Campaign = {
    ...campaign,
    line: '',
    device: 'd1',
    priority: 0,
    quiet_hours: false,
    guarantee: '',
  }
  expect(makeRequest(copyCampaign(ofDevice), [])).toEqual({
    name: 'Sale',
    filter: 'name = "Ann"',
    recipients: ['+4915120000010'],
    group_ids: ['g1'],
    body: 'Hello',
    device_id: 'd1',
    quiet_hours: false,
  })
})

test('a filter of contacts is asked of campaigns alone, without spaces around it, and names people', () => {
  const filter = ' data.city = "Berlin" '
  const asked = { ...BLANK, isCampaign: true, name: 'Sale', text: 'Hello', filter }
  expect(makeRequest(asked, [])).toMatchObject({ filter: 'data.city = "Berlin"' })
  expect(makeRequest({ ...asked, isCampaign: false }, [])).not.toHaveProperty('filter')
  expect(makePreview(asked, [])).not.toHaveProperty('filter')
  expect(findFaults(asked, [], 0)).toEqual({})
  expect(findFaults({ ...asked, filter: '  ' }, [], 0)).toHaveProperty('to')
  expect(findFaults({ ...asked, isCampaign: false }, [], 0)).toHaveProperty('to')
})

test('a send request contains only values that differ from the default', () => {
  expect(makeRequest(READY, [])).toEqual({ recipients: ['+4915120000010'], body: 'Hello' })
  const full = makeRequest(
    {
      ...READY,
      kind: 'template',
      template: 't1',
      variables: { day: 'Monday', old: 'x' },
      groups: ['g1'],
      isLater: true,
      at: '2026-11-21T08:30',
      device: 'd1',
      line: 'l2',
      priority: '5',
      guarantee: 'at_least_once',
      giveUp: '3600',
      isQuiet: false,
    },
    ['day'],
  )
  expect(full).toEqual({
    recipients: ['+4915120000010'],
    group_ids: ['g1'],
    template_id: 't1',
    variables: { day: 'Monday' },
    scheduled_at: new Date('2026-11-21T08:30').toISOString(),
    device_id: 'd1',
    line_id: 'l2',
    priority: 5,
    guarantee: 'at_least_once',
    ttl: 3600,
    quiet_hours: false,
  })
})

test.each([
  ['all that a send needs', {}, []],
  ['no recipient', { recipients: [] }, ['to']],
  ['a group in place of recipients', { recipients: [], groups: ['g1'] }, []],
  ['a bad number', { recipients: readNumbers('+4911, nobody', '') }, ['to']],
  ['no text', { text: '' }, ['text']],
  ['1,600 characters, each of two units', { text: '😀'.repeat(1600) }, []],
  ['one more', { text: '😀'.repeat(1601) }, ['text']],
  ['no template', { kind: 'template' }, ['template', 'variable day']],
  ['no value', { kind: 'template', template: 't1' }, ['variable day']],
  ['no time', { isLater: true }, ['at']],
  ['a past time', { isLater: true, at: '2026-11-19T12:00' }, ['at']],
] as const)('a form with %s has faults at the fields $2', (_, change, fields) => {
  const composition = { ...READY, ...change }
  const missing = composition.kind === 'template' ? ['day'] : []
  expect(Object.keys(findFaults(composition, missing, NOW))).toEqual(fields)
})

test.each([
  ['invalid_phone_number', 'Phone number must be in E.164 format', 'to'],
  ['too_many_recipients', 'At most 1000 recipients per request', 'to'],
  ['invalid_request', 'recipients[3] must be a text', 'to'],
  ['invalid_request', 'expires_at must lie in the future, after scheduled_at', 'giveUp'],
  ['body_too_long', 'Message body must be at most 1600 characters', 'text'],
  ['device_not_found', 'Device not found', 'device'],
  ['line_not_found', 'Line not found', 'device'],
  ['invalid_template', 'Missing variable: day.', 'variable day'],
  ['invalid_template', 'Template not found.', 'template'],
  ['invalid_request', 'recipients have all opted out', 'to'],
  ['invalid_request', 'repeat.cron must be five fields', 'cron'],
])('the refusal %s "%s" is shown at the field $2', (code, message, field) => {
  const response = { error: code, message }
  const { fields } = placeFault(readFault(new ClientResponseError({ status: 400, response })))
  expect(Object.keys(fields)[0]).toBe(field)
})

test('the refusal of a send beyond the quota is shown at no field', () => {
  const refusal = { code: 'quota_exceeded', message: 'Monthly message quota exceeded' }
  expect(placeFault({ ...refusal, status: 400, fields: {} }).fields).toEqual({})
})
