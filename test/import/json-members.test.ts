import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readMembers, UnexpectedShape } from '../../src/import/json-members.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'

const folder = temporaryFolder()
function read(text: string) {
  const file = join(folder, 'file.json')
  writeFileSync(file, text)
  return [...readMembers(file)].map(({ name, item }) => (item === undefined ? name : [name, item]))
}

test.each([
  ['nothing in it', '{}', []],
  ['spaces everywhere', ' {\r\n\t"a" : [ 1 , 2 ] ,"b":[ ] } \n', ['a', ['a', 1], ['a', 2], 'b']],
  ['a mark at the beginning', '\ufeff{"a":[null]}', ['a', ['a', null]]],
  [
    'brackets and quotes in texts',
    '{"a":["]},{[","\\"","\\\\"]}',
    ['a', ['a', ']},{['], ['a', '"'], ['a', '\\']],
  ],
  [
    'values of all kinds',
    '{"a":[{"x":[{}]},[[]],true,-1.5e3]}',
    ['a', ['a', { x: [{}] }], ['a', [[]]], ['a', true], ['a', -1500]],
  ],
])('%s', (_, text, members) => expect(read(text)).toEqual(members))

test('values longer than what is read at a time, and signs that lie across', () => {
  const texts = ['é'.repeat(700_001), 'x', '😀'.repeat(300_001), '"\\'.repeat(600_001)]
  expect(read(JSON.stringify({ a: texts }))).toEqual(['a', ...texts.map((text) => ['a', text])])
})

test.each([
  '',
  '{',
  '{"a"',
  '{"a":',
  '{"a":[',
  '{"a":[1',
  '{"a":[1,',
  '{"a":[1,]}',
  '{"a":[1 2]}',
  '{"a":[]',
  '{"a":[],}',
  '{a:[]}',
  '{1:[]}',
  '{"a":[}]}',
  '{"a":[{]}]}',
  '{"a":["x]}',
  '{} x',
  'nope',
])('%s is no JSON', (text) => expect(() => read(text)).toThrow(SyntaxError))

test.each([
  ['[]', undefined],
  ['"{}"', undefined],
  ['{"a":[],"b":{"c":1}}', 'b'],
  ['{"a":null}', 'a'],
])('%s is JSON of another shape', (text, member) => {
  expect(() => read(text)).toThrow(UnexpectedShape)
  try {
    read(text)
  } catch (error) {
    expect((error as UnexpectedShape).member).toBe(member)
  }
})
