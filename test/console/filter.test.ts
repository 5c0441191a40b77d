import { readFileSync } from 'node:fs'
import peggy from 'peggy'
import {
  addCondition,
  FIELDS,
  findFieldAt,
  listSigns,
  readValues,
} from '../../console/src/pages/messages/filter/condition.ts'

const { parse } = peggy.generate(
  readFileSync(new URL('../../grammar/filter.peggy', import.meta.url), 'utf8'),
)

test.each([
  ['the first', '', 'status', '=', 'failed', 'status = "failed"'],
  ['a second condition', 'to ~ "1"', 'body', '~', 'a', 'to ~ "1" && body ~ "a"'],
  [
    'a condition beside alternatives',
    'a = 1 || b = 2',
    'segments',
    '>',
    '1',
    '(a = 1 || b = 2) && segments > 1',
  ],
  ['quotes', '', 'body', '=', 'say "\\"', String.raw`body = "say \"\\\""`],
  ['a date', '', 'created', '>=', '2026-11-20T07:00Z', 'created >= "2026-11-20 07:00:00.000Z"'],
  ['no date', '', 'sent_at', '= ""', '', 'sent_at = ""'],
] as const)('a condition is added to a filter (%s): $5', (_, filter, path, sign, value, made) => {
  expect(addCondition(filter, path, sign, value)).toBe(made)
  parse(made)
})

test.each(FIELDS)('%s is a field of the collections with operators of the grammar', (path) => {
  expect(findFieldAt(path)).toBeDefined()
  for (const [sign] of listSigns(path))
    parse(addCondition('', path, sign, readValues(path)?.[0]?.[0] ?? '2026'))
})
