import { expect, test } from 'vitest'
import { storedName } from '../../src/files/stored-name.ts'

/** What is random in a name, as `*`. */
const R = '[a-z0-9]{10}'
const pattern = (name: string) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', R)}$`)

test.each([
  ['words in lower case', 'My Photo (1).TXT', 'my_photo_1_*.TXT'],
  ['capitals after small letters', 'myTestDB.json', 'my_test_db_*.json'],
  ['what is no letter of English', 'héllo wörld.txt', 'h_llo_w_rld_*.txt'],
  ['short names get more', 'ab.png', 'ab*_*.png'],
  ['names of nothing', '日本語.txt', '*_*.txt'],
  ['two extensions', 'backup.2024.tar.gz', 'backup_2024_*.tar.gz'],
  ['no extension: by its content', 'notes', 'notes_*.detected'],
  ['a dot at the beginning', '.hidden', '*_*.hidden'],
  ['dots', 'weird..txt', 'weird_*.txt'],
  ['odd extensions', 'a b c d!@$.j!@$pg', 'a_b_c_d_*.jpg'],
  ['long names', 'a'.repeat(400), `${'a'.repeat(100)}_*.detected`],
  ['long extensions', `some.${'e'.repeat(30)}`, `some_*.${'e'.repeat(20)}`],
])('%s: %s', (_, sent, stored) => {
  expect(storedName(sent, '.detected')).toMatch(pattern(stored))
})
