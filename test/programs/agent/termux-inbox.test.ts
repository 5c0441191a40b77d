import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Listed, openTermuxInbox } from '../../../src/programs/agent/drivers/termux-inbox.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

/** A text of an inbox: its id, and its time on 20 November. */
type Row = readonly [id: number, time: string]

const toListed = ([_id, time]: Row): Listed => ({
  _id,
  number: '+4930123',
  body: 'Hi',
  received: `2026-11-20 ${time}`,
})

/** Looks at an inbox as it is at several times. Returns the ids of the texts that are new the last time. */
function lookAt(inboxes: readonly (readonly Row[])[], kept?: string): number[] {
  const file = join(temporaryFolder(), 'memory')
  if (kept !== undefined) writeFileSync(file, kept)
  let found: Listed[] = []
  for (const rows of inboxes) {
    const inbox = openTermuxInbox(file) // each look after a restart
    const texts = rows.map(toListed)
    found = texts.filter(inbox.isNew)
    inbox.remember(texts)
  }
  return found.map(({ _id }) => _id)
}

const A: Row = [1, '08:00:00']
const B: Row = [2, '08:10:00']
const C: Row = [3, '08:20:00']

test.each<[what: string, inboxes: readonly (readonly Row[])[], ids: number[], kept?: string]>([
  ['no text of the first look', [[A, B]], []],
  ['a text with a higher id', [[A], [A, B]], [2]],
  [
    'a text that has the id of a deleted text',
    [
      [A, B],
      [A, [2, '08:31:17']],
    ],
    [2],
  ],
  ['a text that has the id of a text deleted before', [[A, B], [A], [A, [2, '08:31:17']]], [2]],
  [
    'a text of a new database',
    [
      [
        [80, '08:00:00'],
        [81, '08:10:00'],
      ],
      [[1, '08:20:00']],
    ],
    [1],
  ],
  [
    'no older text that a deletion brings into view',
    [
      [B, C],
      [A, B],
    ],
    [],
  ],
  [
    'no text whose time Android prints by another zone',
    [
      [A, B],
      [
        [1, '10:00:00'],
        [2, '10:10:00'],
      ],
    ],
    [],
  ],
  ['a text of an earlier time with a higher id', [[C], [C, [4, '07:00:00']]], [4]],
  ['no text again after Android listed none', [[A, B], [], [A, B]], []],

  ['texts after the id that earlier versions kept', [[A, B]], [2], '1'],
  ['no text if its file is cut off', [[A, B]], [], '{"id":1,'],
])('Termux finds %s', (_, inboxes, ids, kept) => {
  expect(lookAt(inboxes, kept)).toEqual(ids)
})

test('Termux finds the first text of an inbox that was empty', () => {
  const inbox = openTermuxInbox(join(temporaryFolder(), 'memory'))
  inbox.remember([])
  const later = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const isNew = (day: string) => inbox.isNew({ ...toListed(A), received: `${day} 08:00:00` })
  expect([isNew(later), isNew('2020-01-01')]).toEqual([true, false])
})

test("Termux reads a time in the digits of Android's language", () => {
  const inbox = openTermuxInbox(join(temporaryFolder(), 'memory'))
  inbox.remember([{ ...toListed(B), received: '٢٠٢٦-١١-٢٠ ٠٨:١٠:٠٠' }])
  expect([
    inbox.isNew(toListed(B)),
    inbox.isNew({ ...toListed(B), received: '٢٠٢٦-١١-٢٠ ٠٩:٠٠:٠١' }),
  ]).toEqual([false, true])
})
