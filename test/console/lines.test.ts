import { isLineUsable, nameLine } from '../../console/src/data/device/lines.ts'
import { findHoursFaults } from '../../console/src/data/hours.ts'
import { readPrefixes } from '../../console/src/parts/rows/prefixes.ts'

test.each([
  ['a label', { label: 'Shop', number: '+4915120000010', slot: 1 }, 'Shop'],
  ['a number', { label: '', number: '+4915120000010', slot: 1 }, '+49\u00a01512\u00a00000010'],
  ['a slot', { label: '', number: '', slot: 2 }, 'SIM 2'],
  ['no SIM', { label: '', number: '+4915120000010', slot: 0 }, 'Chosen by the phone'],
])('a line with %s is named "$2"', (_, line, name) => {
  expect(nameLine(line)).toBe(name)
})

test.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
])('a line that is enabled (%s) and present (%s) can be chosen: %s', (enabled, present, usable) => {
  expect(isLineUsable({ enabled, present })).toBe(usable)
})

test.each([
  ['', ''],
  ['+43', '+43'],
  [' +43, 0043 66 ', '+43,+4366'],
  ['+43 +49; +41', '+43,+49,+41'],
  ['+43,', '+43'],
])('typed prefixes %j are read as %j', (typed, prefixes) => {
  expect(readPrefixes(typed)).toBe(prefixes)
})

test.each(['43', '+0', '+43, Austria'])('typed prefixes %j are refused', (typed) => {
  expect(readPrefixes(typed)).toBeUndefined()
})

test.each([
  ['+1, -1876, - 44 77-00', '+1,-1876,-447700'],
  ['+43 -49', '+43,-49'],
])('typed destinations %j are read as %j', (typed, destinations) => {
  expect(readPrefixes(typed, true)).toBe(destinations)
})

test('typed destinations that are a hyphen alone are refused', () => {
  expect(readPrefixes('-', true)).toBeUndefined()
})

test.each([
  ['no time at all', { from: '', to: '', days: [] }, []],
  ['a beginning and an end', { from: '22:00', to: '08:00', days: ['sat'] }, []],
  ['no end', { from: '22:00', to: '', days: [] }, ['to']],
  ['no beginning', { from: '', to: '08:00', days: [] }, ['from']],
  ['days alone', { from: '', to: '', days: ['sat'] }, ['from']],
  ['no time between', { from: '08:00', to: '08:00', days: [] }, ['to']],
] as const)('hours with %s have faults at the fields $2', (_, hours, members) => {
  expect(Object.keys(findHoursFaults(hours))).toEqual(members)
})
