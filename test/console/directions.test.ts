import { globSync } from 'node:fs'
import { readSource, SOURCES } from './texts.ts'

/** Declarations that are the same from right to left: why. */
const ALLOWED: Readonly<Record<string, string>> = {
  'style/buttons.css border-right-color: transparent': 'the gap of a ring that turns',
}
const DECLARATION = /^\s*([\w-]+):\s*([^;]+);/gm
/** Properties and values that name a side of the window. */
const SIDE = /(^|-)(left|right)(-|$)/
/** Values in the order top, right, bottom, left. */
const SIDES = /^(margin|padding|inset|border-(width|color|style))$/

/** A value of a shorthand, with functions three deep. */
const VALUE = /(?:[^\s()]+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+/g

/** Whether a declaration differs between left and right. */
function isOneSided(property: string, value: string): boolean {
  const [first, second, third, fourth] = value.match(VALUE) ?? []
  if (SIDE.test(property) || /^(left|right)$/.test(value)) return true
  if (SIDES.test(property)) return fourth !== undefined && second !== fourth
  if (property !== 'border-radius' || second === undefined) return false
  return first !== second || (third ?? first) !== (fourth ?? second)
}

test.each([
  ['margin-left', '1px', true],
  ['text-align', 'right', true],
  ['padding', '0 calc(1px + var(--a)) 0 2px', true],
  ['border-radius', '4px 4px 4px 0', true],
  ['padding', '1px 2px', false],
  ['margin-inline-start', '1px', false],
  ['border-radius', '4px 4px 0 0', false],
])('"%s: %s" names a side: %s', (property, value, expected) => {
  expect(isOneSided(property, value)).toBe(expected)
})

test('styles name the start and the end of a line, which differ by language, not left and right', () => {
  const found = globSync('**/*.css', { cwd: SOURCES }).flatMap((file) =>
    [...readSource(file).matchAll(DECLARATION)]
      .filter(([, property, value]) => isOneSided(property!, value!))
      .map(([, property, value]) => `${file} ${property}: ${value}`),
  )
  expect(found).toEqual(Object.keys(ALLOWED))
})
