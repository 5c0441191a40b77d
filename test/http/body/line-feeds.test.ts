import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { LineFeeds } from '../../../src/http/body/line-feeds.ts'

/** What becomes of a form that comes in pieces of so many bytes. */
async function through(text: string, pieceBytes: number): Promise<string> {
  const bytes = Buffer.from(text)
  const pieces = function* () {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
  return (await buffer(Readable.from(pieces()).pipe(new LineFeeds('x')))).toString()
}

const HEAD = 'Content-Disposition: form-data; name="a"'

test.each([
  ['a form', `--x\n${HEAD}\n\nä\n--x--\n`, `--x\r\n${HEAD}\r\n\r\nä\r\n--x--\r\n`],
  ['what is in it', `--x\n\n1\n\n2\r\n3\n--x--`, '--x\r\n\r\n1\n\n2\r\n3\r\n--x--'],
  ['an empty value', '--x\n\n\n--x\n\n\n--x--', '--x\r\n\r\n\r\n--x\r\n\r\n\r\n--x--'],
  ['another boundary', '--x\n\n1\n--xy\n--x--', '--x\r\n\r\n1\n--xy\r\n--x--'],
  ['blanks behind the boundary', '--x \t\n\n1\n--x --', '--x \t\r\n\r\n1\r\n--x --'],
  ['lines that end as they should, in a head', '--x\na: b\r\n\r\n1\n--x--', '--x\r\na: b\r\n\r\n1\r\n--x--'],
  ['one as it should be', '--x\r\n\r\n1\n--x\n\r\n--x--', '--x\r\n\r\n1\n--x\n\r\n--x--'],
  ['what stands before it', 'hello\n\n--x\n\n1\n--x--', '--x\r\n\r\n1\r\n--x--'],
  ['no form', 'hello\n--xy\nyou', 'you'],
  ['a line without an end', `--x\n${'a'.repeat(20_000)}`, `--x\r\n${'a'.repeat(20_000)}`],
  ['a first line without an end', 'a'.repeat(300), 'a'.repeat(300)],
  ['a form without a part', '--x--\r\n', '--x\r\n\r\n\r\n--x--\r\n'],
  ['nothing', '', ''],
])('%s, in pieces of any size', async (_, text, expected) => {
  for (const pieceBytes of [1, 2, 3, 7, 100_000]) expect(await through(text, pieceBytes)).toBe(expected)
})
