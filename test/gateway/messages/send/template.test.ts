import { refuseMissingVariable } from '../../../../src/gateway/messages/send/missing-variables.ts'
import {
  fillVariables,
  parseTextTemplate,
  renderForPerson,
} from '../../../../src/portable/text-template.ts'
import { startCpuTimer } from '../../../support/server/cpu-timer.ts'

const fields = new Map([
  ['city', 'Kiel'],
  ['empty', ' '],
])
const ANN = { name: 'Ann', phone: '+4911111', fields }
const render = (body: string, variables: Record<string, string> = {}) =>
  renderForPerson(fillVariables(parseTextTemplate(body), variables), ANN, refuseMissingVariable)

test.each([
  ['no variable', 'Hello', {}, 'Hello'],
  ['no text', '', {}, ''],
  ['a variable', 'Code {{code}}.', { code: '12' }, 'Code 12.'],
  ['spaces inside the braces', '{{ code }}{{\tcode\n}}', { code: '12' }, '1212'],
  [
    'a name of several words',
    '{{first name}} {{ prénom }}',
    { 'first name': 'A', prénom: 'B' },
    'A B',
  ],
  ['the name and phone of the contact', '{{name}} {{ phone }}', {}, 'Ann +4911111'],
  [
    'name and phone that the request cannot override',
    '{{name}} {{phone}}',
    { name: 'x', phone: 'y' },
    'Ann +4911111',
  ],
  ['their case does not count', '{{Name}} {{PHONE}}', { Name: 'x' }, 'Ann +4911111'],
  ['variables in any case', '{{Ort}} {{ort}} {{ORT|x}}', { ort: 'Ulm' }, 'Ulm Ulm Ulm'],
  ['the value of the exact name first', '{{a}} {{A}}', { A: 'large', a: 'small' }, 'small large'],
  ['a value is text, braces and all', '{{a}}', { a: '{{name}} $& $1' }, '{{name}} $& $1'],
  ['an empty value', 'a{{b}}c', { b: '' }, 'ac'],
  ['nothing for unused values', 'a', { b: 'c' }, 'a'],
  [
    'braces without a name unchanged',
    '{name} {{}} {{ }} {{name} }}',
    {},
    '{name} {{}} {{ }} {{name} }}',
  ],
  ['three braces', '{{{name}}}', {}, '{Ann}'],
  ['a field of the contact', '{{city}}', {}, 'Kiel'],
  ["the request's value before the contact's", '{{city}}', { city: 'Ulm' }, 'Ulm'],
  ['a default for a missing value', 'Hi {{nick|there}}', {}, 'Hi there'],
  ['a default for an empty field', '{{empty|none}}', {}, 'none'],
  ['a default for an empty value', '{{a|none}}', { a: '' }, 'none'],
  ['no default for a value', '{{name|there}} {{city|x}} {{a|x}}', { a: 'y' }, 'Ann Kiel y'],
  ['an empty default', 'Hi{{nick|}}!', {}, 'Hi!'],
  ['spaces around a default', '{{ nick | my friend }}', {}, 'my friend'],
  ['a default with a bar', '{{nick|a|b}}', {}, 'a|b'],
  ['a default without a name is text', '{{|x}} {{ |x}}', {}, '{{|x}} {{ |x}}'],
  ['a repeated variable', '{{a}}{{a}}', { a: 'x' }, 'xx'],
] as const)('a template with %s is rendered: "$1" as "$3"', (_, body, variables, expected) => {
  expect(render(body, variables as Record<string, string>)).toBe(expected)
})

test.each([
  ['the missing one beside one with a default', '{{b|x}} {{a}}', {}, 'a'],
  ['the first that is missing', '{{a}} {{b}} {{c}}', { a: '1' }, 'b'],
  ['members of objects do not count as values', '{{constructor}}', {}, 'constructor'],
  ['__proto__ is an ordinary name', '{{__proto__}}', {}, '__proto__'],
])('a missing variable is named "$3": %s', (_, body, variables, name) => {
  expect(() => render(body, variables as Record<string, string>)).toThrow(
    `Missing variable: ${name}.`,
  )
})

test('parsing 100,000 braces takes less than a second of CPU time', () => {
  const took = startCpuTimer()
  for (const body of ['{'.repeat(100_000), '{{a'.repeat(50_000), `{{${' '.repeat(100_000)}`])
    parseTextTemplate(body)
  expect(took()).toBeLessThan(1000)
})
