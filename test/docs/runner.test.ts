import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { differences, isError } from './shape.ts'
import { Shell } from './shell.ts'

const folder = temporaryFolder()

test.each([
  ['other values are equal', '{"id":"a","n":1}', '{"id":"b","n":2}', []],
  ['a key that is not answered', '{"id":"a","n":1}', '{"id":"b"}', ['.n is not answered']],
  ['a key that is not shown', '{"id":"a"}', '{"id":"b","n":2}', ['.n is not on the page']],
  ['a value of another type is a difference', '{"id":"a"}', '{"id":1}', ['.id is of type number']],
  ['null fits anything', '{"left":null}', '{"left":7}', []],
  [
    'each item of a list',
    '{"items":[{"id":"a"}]}',
    '{"items":[{"id":"b"},{}]}',
    ['.items[1].id is not answered'],
  ],
  ['no list', '{"items":[]}', '{"items":{}}', ['.items is no list']],
] as const)("an answer is compared with the page's answer: %s", (_, shown, actual, faults) => {
  expect(differences(JSON.parse(shown), JSON.parse(actual))).toEqual(faults)
})

test.each([
  ['the gateway', { error: 'unauthorized', message: '' }, true],
  ['PocketBase', { status: 404, message: '', data: {} }, true],
  ['a failed message', { id: 'a', status: 'failed', error_message: 'Canceled' }, false],
])('an error of %s is recognised: %o', (_, answer, expected) => expect(isError(answer)).toBe(expected))

describe('a shell of the runner', () => {
  test.each([
    ['a command that fails before others', 'false\ntrue', false],
    ['a command that fails in a pipe', 'false | cat', false],
    ['a command that fails inside another', 'A=$(false; echo 1)\necho $A', false],
    ['an unset variable', 'echo $NOBODY', false],
    ['a package that does not exist', 'npm install no-such-package', false],
    ['a command that works', 'A=1 B=$(echo 2)\necho $A$B | grep 12', true],
  ])('reports the status of %s', async (_, text, works) => {
    const shell = new Shell(folder, folder, { PATH: process.env.PATH, HOME: folder })
    try {
      expect((await shell.run(text)).status === 0).toBe(works)
    } finally {
      await shell.close()
    }
  })
})
