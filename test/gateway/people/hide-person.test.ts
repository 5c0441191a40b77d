import { sql } from 'kysely'
import { writeOwnHideSql, writePersonHideSql } from '../../../src/gateway/base/hide-person.ts'
import { makePerson } from '../../../src/gateway/people/person.ts'
import { queries } from '../../../src/platform/db/queries.ts'
import { openPreparedDb } from '../../support/server/start.ts'

const db = await openPreparedDb()
const person = makePerson('shop', '+4915112345678')

test.each([
  ['a name and a number', 'Zebulon', 'Zebulon, 0151 12345678, asked', '…, …, asked'],
  ['a name in another word', 'Anna', 'Annas Mann', '…s Mann'],
  ['a name of two letters, as a word', 'Al', 'Al asked, also by mAil', '… asked, also by mAil'],
  [
    'a name of one letter, as a word',
    'E',
    'E asked: Erase Everything (E)',
    '… asked: Erase Everything (…)',
  ],
  ['a short name beside other letters', 'Bo', 'Boß und Bo', 'Boß und …'],
  ['a short name between other quotes', 'Bo', '„Bo“ asked', '„…“ asked'],
  ['a name in a script without spaces', '王芳', '我是王芳你好', '我是…你好'],
  ['a name with signs of expressions', 'A.*(B)', 'A.*(B) and AxB', '… and AxB'],
  ['a name with three stars', '***', '*** asked', '… asked'],
  ['no name', '', 'Asked by mail', 'Asked by mail'],
])('a text loses %s', async (_, name, text, hidden) => {
  const { shown } = await queries(db)
    .selectNoFrom(writePersonHideSql(sql`${text}::text`, person, name).as('shown'))
    .executeTakeFirstOrThrow()
  expect(shown).toBe(hidden)
})

const STORED = {
  '0151 12345678': 'Zebulon',
  Zebulon: { b: ['+4915112345678', 'Zebulon'], 'Zebulon ': 4915112345678, a: 7 },
}

test.each([
  [
    'its values, and keeps names of members',
    writePersonHideSql,
    '{"0151 12345678":"…","Zebulon":{"b":["+…","…"],"Zebulon ":"…","a":7}}',
  ],
  [
    'names of members, too, in own rows of the person',
    writeOwnHideSql,
    '{"…":"…","…":{"b":["+…","…"],"… ":"…","a":7}}',
  ],
])('JSON loses a name and a number in %s', async (_, write, hidden) => {
  const { shown } = await queries(db)
    .selectNoFrom(write(sql`${JSON.stringify(STORED)}::json`, person, 'Zebulon').as('shown'))
    .executeTakeFirstOrThrow()
  expect(String(shown).replaceAll(/(?<=[:,{]) | (?=[:}])/g, '')).toBe(hidden)
})
