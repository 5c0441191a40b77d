import { describe, expect, test } from 'vitest'
import { readMail } from '../../../src/protocols/smtp/read-mail.ts'

const PAGE = 128 << 10
/** Milliseconds of CPU: the worst of the attacks below took 3.6 s, and 21 s in 15 parts. */
const MOST_MS = 2_000

const makeMail = (pages: readonly string[]) =>
  Buffer.from(
    [
      'Subject: Re: a\r\nContent-Type: multipart/mixed; boundary=b\r\n',
      ...pages.map((page) => `--b\r\nContent-Type: text/html\r\n\r\n${page}`),
      '--b--\r\n',
    ].join('\r\n'),
  )

const repeatTo = (text: string, length: number) => text.repeat(length / text.length)
const writePage = (sheet: string, element: string) =>
  `<style>${sheet}</style>${repeatTo(element, PAGE - sheet.length)}`
const PROPERTIES =
  'display:block;visibility:visible;opacity:1;font-size:9px;color:red;white-space:pre;width:9px;left:0;top:0'

/** Numbers the `#` in a text that is repeated. */
const numbered = (text: string, times: number) =>
  Array.from({ length: times }, (_, i) => text.replace('#', i.toString(36))).join('')

const ONE = {
  'a selector of 30,000 classes': writePage(`${'.a'.repeat(PAGE / 4)}{color:red}`, '<p class=a>'),
  '250 rules of 60 classes': writePage(`${'.a'.repeat(60)}{color:red}`.repeat(250), '<p class=a>'),
  '250 rules of nine properties': writePage(`.a{${PROPERTIES}}`.repeat(250), '<p class=a>'),
  '250 rules of elements of other classes': writePage(
    'p{color:red;width:9px}'.repeat(250),
    '<p class=bcd>',
  ),
  'unclosed formatting': `${numbered('<b a=#>', PAGE / 16)}${repeatTo('<p>x</p>', PAGE / 2)}`,
  'links within links': numbered('<a href=http:#>x<marquee>', PAGE / 28),
  'tables within tables': repeatTo('x<table><tr><td>', PAGE),
  'an element of many attributes': `<p ${numbered('# ', PAGE / 5)}>x`,
}

async function measure(mail: Buffer): Promise<number> {
  const start = process.cpuUsage()
  await readMail(mail).catch(() => {})
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

describe('A hostile page takes little time', () => {
  test.each(Object.entries(ONE))('A hostile page takes little time with %s', async (_, page) => {
    expect(await measure(makeMail([page]))).toBeLessThan(MOST_MS)
  })

  test.each(Object.entries(ONE))(
    'A hostile page takes little time in each of 15 parts, with %s',
    async (_, page) => {
      expect(await measure(makeMail(Array.from({ length: 15 }, () => page)))).toBeLessThan(MOST_MS)
    },
  )
})

describe('The part of pages that is read', () => {
  const readText = async (pages: readonly string[]) => (await readMail(makeMail(pages))).fields.body
  const blank = '<i></i>'.repeat(PAGE / 14)

  test('the pages of a mail together have a limit', async () => {
    expect(await readText(['one', `${blank}two`, 'three'])).toBe('one\ntwo\nthree')
    expect(await readText(['one', `${blank}two`, blank, 'four'])).toBe('one\ntwo')
  })

  test('a picture in a page does not count', async () => {
    const picture = `<img src="data:image/png;base64,${'A'.repeat(2 * PAGE)}">`
    expect(await readText([`${picture}one`, `${picture}two`])).toBe('one\ntwo')
  })

  test('a style sheet hides elements of 1 to 5 names', async () => {
    const sheet = '<style>.a,#b,i.a.b.c.d.e{display:none}</style>'
    const page = '<p class=a>1</p><p id=b>2</p><i class="a b c d e">3</i><p class=x>4</p>'
    expect(await readText([sheet + page])).toBe('4')
  })

  test('an element hides itself after a style sheet is used up', async () => {
    const sheet = `<style>${`.a{${PROPERTIES}}`.repeat(250)}</style>`
    const hidden = '<p style="display:none">no</p>'
    expect(await readText([`${sheet}${'<p class=a>'.repeat(1_000)}${hidden}<p>yes`])).toBe('yes')
  })

  test('a large newsletter keeps its hidden preview hidden', async () => {
    const sheet = `<style>${numbered('.c#{color:red;width:9px}', 240)}.pre{display:none}td{left:0;top:0}</style>`
    const cells = numbered('<table><tr><td class=c#>x</table>', 2_000)
    expect(await readText([`${sheet}${cells}<p class=pre>no</p>`])).not.toContain('no')
  })
})
