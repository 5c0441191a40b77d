import { readFileSync } from 'node:fs'
import peggy from 'peggy'
import { describe, expect, test } from 'vitest'
import { problemsOf } from '../../console/src/pages/messages/filter/problems.ts'

const { parse } = peggy.generate(readFileSync(new URL('../../grammar/filter.peggy', import.meta.url), 'utf8'))

/** The marked part between ⟦ and ⟧, and the sentence. */
function told(filter: string, isSuperuser = false) {
  const [problem] = problemsOf(parse, filter, isSuperuser)
  if (!problem) return ['', '', '']
  return [filter.slice(problem.start, problem.end), problem.message, problem.fix?.filter ?? '']
}

describe('a filter that is right has no problem', () => {
  test.each([
    [''],
    ['status = "failed" && created >= @todayStart'],
    ["(to ~ '+49' || from ~ '+49') // a comment"],
    ['sms_events_via_message.status ?= "failed"'],
    ['device.user.email ~ "@example.com"'],
    ['device.sims.0.number = "1"'],
    ['body:lower = "yes"'],
    ['strftime("%Y", created) = "2026"'],
    ['status = "" || sent_at = ""'],
    ['created > "2026-11-20 07:00:00.000Z"'],
  ])('%s', (filter) => expect(told(filter)[1]).toBe(''))
})

test.each([
  ['an unknown field', 'statos = "x"', 'statos', 'statos is no field of messages.', 'status = "x"'],
  ['a field of a relation', 'device.nam = "a"', 'nam', 'nam is no field of devices.', 'device.name = "a"'],
  ['a path through a text', 'to.name = "a"', 'to.name', 'to.name is no field of messages.', ''],
  ['a text without quotes', 'status = failed', 'failed', 'put it in quotes', 'status = "failed"'],
  ['a sign of other languages', 'to == "1"', '==', '== is no comparison', 'to = "1"'],
  ['a word for a sign', 'to contains "1"', 'contains', 'A comparison is missing', 'to ~ "1"'],
  ['a word for a join', 'to = "1" and from = "2"', 'and', 'Write && for', 'to = "1" && from = "2"'],
  ['half a join', 'to = "1" & from = "2"', '&', 'Write && for', 'to = "1" && from = "2"'],
  ['no join', 'to = "1" from = "2"', 'from', 'Before from there must be', 'to = "1" && from = "2"'],
  ['a join at the end', 'to = "1" &&', '&&', 'another condition must follow', 'to = "1"'],
  ['no value', 'created >', '>', 'After > a value must follow', ''],
  ['no sign', 'status', 'status', 'After status a comparison must follow', ''],
  ['two signs', 'to = = "1"', '=', 'Here a value is missing', ''],
  ['an open quote', 'to ~ "abc', '"', 'never closed', 'to ~ "abc"'],
  ['an open bracket', '(to ~ "1"', '(', 'never closed', '(to ~ "1")'],
  ['a bracket too many', 'to ~ "1")', ')', 'No bracket is open', 'to ~ "1"'],
  ['nothing in a bracket', '()', '(', 'nothing in this bracket', ''],
  [
    'a fault within brackets',
    '((to = "1") && (fro = "1"))',
    'fro',
    'fro is no field',
    '((to = "1") && (from = "1"))',
  ],
  ['half a comparison within brackets', '(to = "1" || (from =))', '=', 'After = a value must follow', ''],
  ['a date without quotes', 'created > 2026-11-20', '2026-11-20', 'in quotes', 'created > "2026-11-20"'],
  ['a macro that is none', 'created > @today', '@today', '@today is not known', 'created > @todayStart'],
  [
    'a function that is none',
    'strtime("%Y", created) = "1"',
    'strtime',
    'no function strtime',
    'strftime("%Y", created) = "1"',
  ],
  ['what is for superusers', '@request.auth.id = "x"', '@request.auth.id', 'Only superusers', ''],
  ['a stray character', 'to = "1" ; x', ';', 'This cannot stand here', ''],
  [
    'a value that never is (a doubt)',
    'status = "delivred"',
    '"delivred"',
    'is never',
    'status = "delivered"',
  ],
  ['a date that is none (a doubt)', 'created > "yesterday"', '"yesterday"', 'Dates are written as', ''],
])('%s: %s', (_, filter, marked, message, fixed) => {
  expect(told(filter)).toEqual([marked, expect.stringContaining(message), fixed])
})

test('a superuser may ask by @collection', () =>
  expect(told('@collection.users.id ?= user', true)[1]).toBe(''))

/** Fields that every collection has, or every one of users. */
const SYSTEM = ['id', 'email', 'emailVisibility', 'verified']

test('the names are those of the collections', async () => {
  const { NAMES } = await import('../../console/src/pages/messages/filter/names.ts')
  const collections: { name: string; fields: { name: string; hidden: boolean }[] }[] = JSON.parse(
    readFileSync(new URL('../../src/collections/definition/builtin.json', import.meta.url), 'utf8'),
  )
  for (const name of ['sms_messages', 'sms_events', 'devices', 'lines', 'users'] as const) {
    const fields = collections.find((each) => each.name === name)!.fields.filter(({ hidden }) => !hidden)
    const known = Object.keys(NAMES[name]).filter((field) => !field.includes('_via_'))
    expect([...SYSTEM, ...fields.map((field) => field.name)]).toEqual(expect.arrayContaining(known))
  }
})
