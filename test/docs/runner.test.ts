import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { differences, isError } from './shape.ts'
import { Shell } from './shell.ts'

const folder = temporaryFolder()

test.each([
  ['other values of the same types', '{"id":"a","n":1}', '{"id":"b","n":2}', []],
  ['a key that is not answered', '{"id":"a","n":1}', '{"id":"b"}', ['.n is not answered']],
  ['a key that is not shown', '{"id":"a"}', '{"id":"b","n":2}', ['.n is not on the page']],
  ['a value of another type', '{"id":"a"}', '{"id":1}', ['.id is of type number']],
  ['a value in place of null', '{"left":null}', '{"left":7}', []],
  [
    'each item of a list',
    '{"items":[{"id":"a"}]}',
    '{"items":[{"id":"b"},{}]}',
    ['.items[1].id is not answered'],
  ],
  ['an object in place of a list', '{"items":[]}', '{"items":{}}', ['.items is no list']],
] as const)(
  "an answer has the differences $3 from the page's answer: %s",
  (_, shown, actual, faults) => {
    expect(differences(JSON.parse(shown), JSON.parse(actual))).toEqual(faults)
  },
)

test.each([
  ['the gateway', { error: 'unauthorized', message: '' }],
  ['PocketBase', { status: 404, message: '', data: {} }],
])('an error of %s is recognised', (_, answer) => expect(isError(answer)).toBe(true))

test('a failed message does not count as an error', () =>
  expect(isError({ id: 'a', status: 'failed', error_message: 'Canceled' })).toBe(false))

describe('a shell of the runner', () => {
  test.each([
    ['a command that fails before others', 'false\ntrue', false],
    ['a command that fails in a pipe', 'false | cat', false],
    ['a command that fails inside another', 'A=$(false; echo 1)\necho $A', false],
    ['an unset variable', 'echo $NOBODY', false],
    ['a package that does not exist', 'npm install no-such-package', false],
    ['a command that works', 'A=1 B=$(echo 2)\necho $A$B | grep 12', true],
  ])('a shell of the runner reports $2 as the success of %s', async (_, text, works) => {
    const shell = new Shell(folder, folder, { PATH: process.env.PATH, HOME: folder })
    try {
      expect((await shell.run(text)).status === 0).toBe(works)
    } finally {
      await shell.close()
    }
  })
})
