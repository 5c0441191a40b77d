import { randomInt } from 'node:crypto'
import {
  findPatternError,
  generateText,
  matchesPattern,
} from '../../../src/engine/fields/regex-patterns.ts'
import { makeRandomId } from '../../../src/platform/tools/random.ts'
import { startCpuTimer } from '../../support/server/cpu-timer.ts'

test.each([
  ['[a-z0-9]{15}', /^[a-z0-9]{15}$/],
  ['[A-Z]{2,5}', /^[A-Z]{2,4}$/],
  ['\\d{3}-(ab|cd)', /^\d{3}-(ab|cd)$/],
  ['x+y*', /^x{1,5}y{0,5}$/],
  ['a?b', /^b$/],
  ['[\\x41-\\x{43}]\\x2e', /^[ABC]\.$/],
  ['(?P<name>\\w{4})\\n', /^\w{4}\n$/],
  ['[\\w.-]{8}', /^[\w.-]{8}$/],
  ['[\\d-.]{8}', /^[\d.-]{8}$/],
] as const)('a text generated from the pattern %s matches %s', (pattern, expected) => {
  for (let i = 0; i < 50; i++) expect(generateText(pattern)).toMatch(expected)
})

test.each([
  ['(', 'error parsing regexp: missing closing ): `(`'],
  ['^a$', 'unsupported pattern operator 9'],
  ['()', 'unsupported pattern operator 2'],
  ['(?i)a', '(?i is not supported'],
  ['[[:alpha:]]', '[: is not supported'],
] as const)('no text is generated for the pattern "%s": %s', (pattern, message) =>
  expect(() => generateText(pattern)).toThrow(message),
)

test('an invalid pattern matches no text and has an error message', () => {
  expect(findPatternError('a**')).toBe(
    'error parsing regexp: invalid nested repetition operator: `**`',
  )
  expect(matchesPattern('a**', 'a')).toBe(false)
})

test.each([
  '(?:[\\pL\\pN]{0,1000}){0,1}x$',
  '\\PC{0,1000}'.repeat(17),
  '(?:(?:ab){30}){30}',
  'ab'.repeat(2_501),
])('the pattern $0 is refused as too expensive', (pattern) => {
  expect(findPatternError(pattern)).toMatch(/too expensive|longer/)
  expect(matchesPattern(pattern, 'a')).toBe(false)
})

test('a malicious pattern is matched in little time', () => {
  const took = startCpuTimer()
  expect(matchesPattern('^(a+)+$', `${'a'.repeat(5000)}!`)).toBe(false)
  expect(took()).toBeLessThan(500)
})

test('2,000 random numbers reach every digit, and 1,000 random ids all differ', () => {
  const seen = new Set(Array.from({ length: 2000 }, () => randomInt(10)))
  expect(seen.size).toBe(10)
  expect(new Set(Array.from({ length: 1000 }, () => makeRandomId())).size).toBe(1000)
})
