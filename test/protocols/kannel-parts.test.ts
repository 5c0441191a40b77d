import { ANN, startServerWithUsers } from '../support/server/server-with-users.ts'

// A long text as Kannel's bearerbox sends it to an `smsc` of the type http: a request for each part, with a
// header of six or seven bytes, a `%` before each in the address.

const server = await startServerWithUsers()
const TO = '+4915112345678'
beforeEach(() => server.rows('delete from sms_messages'))

const percent = (bytes: Buffer | readonly number[]) =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')
const header8 = (total: number, seq: number, ref = 0x2a) => percent([5, 0, 3, ref, total, seq])
const header16 = (total: number, seq: number, ref = 0x012c) =>
  percent([6, 8, 4, ref >> 8, ref & 0xff, total, seq])

/** The status of a part's answer. */
async function send(udh: string, text: string, more = '', to = '4915112345678') {
  const who = `username=${encodeURIComponent(ANN.email)}&password=${ANN.key}`
  const { status, text: answer } = await server.ask(
    'GET',
    `/cgi-bin/sendsms?${who}&to=${to}&text=${text}&udh=${udh}${more}`,
  )
  return [status, answer]
}
const ACCEPTED = [202, '0: Accepted for delivery']
const listTexts = async (where = `scheduled_at = ''`) =>
  (await server.rows(`select body from sms_messages where ${where} order by _rowid`)).flat()
const listWaiting = () => listTexts(`status = 'pending' and scheduled_at <> ''`)

const ONE = 'a'.repeat(153)
const TWO = 'b'.repeat(153)
const THREE = 'the end'
const PARTS = [ONE, TWO, THREE]

describe.each([
  ['8 bits', header8],
  ['16 bits', header16],
])('a text in parts with a reference of %s', (_, header) => {
  test.each([
    ['in their order', [1, 2, 3]],
    ['in the reverse order', [3, 2, 1]],
    ['the middle first', [2, 1, 3]],
  ])('a text in parts is sent as one, its parts %s', async (_order, order) => {
    for (const seq of order) {
      expect(await listTexts()).toEqual([])
      expect(await send(header(3, seq), encodeURIComponent(PARTS[seq - 1]!))).toEqual(ACCEPTED)
    }
    expect(await listTexts('true')).toEqual([PARTS.join('')])
    const [row] = await server.rows('select "to", status, segments, scheduled_at from sms_messages')
    expect(row).toEqual([TO, expect.not.stringMatching('pending'), 3, ''])
  })

  test('a text in parts is sent once when its parts arrive at once, and are repeated', async () => {
    const all = () =>
      Promise.all(
        [3, 1, 2, 1].map((seq) => send(header(3, seq), PARTS[seq - 1]!.replace(' ', '+'))),
      )
    for (let i = 0; i < 3; i++)
      expect(await all()).toEqual([ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED])
    expect(await listTexts('true')).toEqual([PARTS.join('')])
  })

  test('a text in parts waits for its parts in the database, and counts once', async () => {
    const used = async () => (await server.ask('GET', 'usage')).body.used
    const before = await used()
    await send(header(2, 1), 'One')
    expect(await send(header(2, 1), 'One')).toEqual(ACCEPTED)
    expect(await listWaiting()).toEqual(['One'])
    await send(header(2, 2), 'Two')
    expect(await listTexts('true')).toEqual(['OneTwo'])
    expect((await used()) - before).toBe(1)
  })
})

test('a part that stays alone leaves as a text after some minutes', async () => {
  await send(header8(2, 1), 'Alone')
  const [[minutes] = []] = await server.rows(
    `select extract(epoch from scheduled_at::timestamptz - now()) / 60 from sms_messages`,
  )
  expect(Number(minutes)).toBeGreaterThan(4)
  expect(Number(minutes)).toBeLessThan(6)
  // five minutes later
  await server.rows(`update sms_messages set scheduled_at = pb_text(now() - interval '1 second')`)
  await send(header8(2, 2), 'Late')
  expect(await listTexts('true')).toEqual(['Alone', 'Late'])
})

test('texts of several recipients, senders and references are kept apart', async () => {
  await send(header8(2, 1, 1), 'A1')
  await send(header8(2, 1, 2), 'B1')
  await send(header8(2, 1, 1), 'C1', '', '4915187654321')
  await send(header16(2, 1, 1), 'D1')
  await send(header8(2, 2, 2), 'B2')
  await send(header8(2, 2, 1), 'C2', '', '4915187654321')
  await send(header16(2, 2, 1), 'D2')
  await send(header8(2, 2, 1), 'A2')
  expect((await listTexts('true')).sort()).toEqual(['A1A2', 'B1B2', 'C1C2', 'D1D2'])
})

test('a reference that is used again joins the newer parts', async () => {
  await send(header8(2, 1), 'Old')
  await send(header8(2, 1), 'New')
  await send(header8(2, 2), '!')
  expect(await listTexts()).toEqual(['New!'])
  expect(await listWaiting()).toEqual(['Old'])
})

test.each([
  ['as the bearerbox names its charset', '&coding=2&charset=UTF-16BE'],
  ['without a charset', '&coding=2'],
])('a character that is cut between two parts is whole, %s', async (_, more) => {
  const bytes = Buffer.from(`Grüße ${'😀'.repeat(60)}`, 'utf16le').swap16()
  const [first, second] = [bytes.subarray(0, 134), bytes.subarray(134)]
  for (const [i, part] of [first, second].entries())
    await send(header8(2, i + 1), percent(part), more)
  expect(await listTexts('true')).toEqual([`Grüße ${'😀'.repeat(60)}`])
})

test.each([
  [
    'all that the bearerbox sends',
    'Hello+',
    '&mclass=1&coding=0&charset=UTF-8&account=a%3Ab&smsc=x&dlr-url=http%3A%2F%2F127.0.0.1%2F&dlr-mask=31',
  ],
  ['a blank alone', '+', '&charset=UTF-8'],
  ['another charset', 'Gr%FC%DFe', '&charset=ISO-8859-1&coding=0'],
  ['parameters for receipts', 'x', '&dlr-mask=31&dlr-url=http%3A%2F%2F127.0.0.1%2F&from=Shop'],
])('a part may have %s', async (_, text, more) => {
  expect(await send(header8(2, 1), text, more)).toEqual(ACCEPTED)
  expect(await send(header8(2, 2), 'end', more)).toEqual(ACCEPTED)
  expect(await listTexts('true')).toHaveLength(1)
})

test('a text of one part is sent at once', async () => {
  expect(await send(header8(1, 1), 'Whole')).toEqual(ACCEPTED)
  expect(await listTexts()).toEqual(['Whole'])
})

test.each([
  ['a port', percent([6, 5, 4, 0x0b, 0x84, 0x23, 0xf0])],
  ['a port beside the place', percent([11, 5, 4, 0x0b, 0x84, 0x23, 0xf0, 0, 3, 1, 2, 1])],
  ['a wrong length', percent([4, 0, 3, 1, 2, 1])],
  ['a wrong size', percent([5, 0, 2, 1, 2, 1])],
  ['part 0', header8(2, 0)],
  ['more than its last part', header8(2, 3)],
  ['no parts', header8(0, 0)],
  ['too many parts', header8(25, 1)],
  ['one byte', '%06'],
])('a header with %s is refused', async (_, udh) => {
  expect((await send(udh, 'x'))[0]).toBe(400)
  expect(await listTexts('true')).toEqual([])
})

test('no part of a text leaves that is too long as a whole', async () => {
  for (let seq = 1; seq < 12; seq++)
    expect(await send(header8(12, seq), `${seq % 10}`.repeat(153))).toEqual(ACCEPTED)
  const [status, answer] = await send(header8(12, 12), 'the end')
  expect([status, answer]).toEqual([400, expect.stringContaining('1600')])
  expect(await listTexts('true')).toEqual([])
  await send(header8(2, 1), 'One')
  await send(header8(2, 2), 'Two')
  expect(await listTexts('true')).toEqual(['OneTwo'])
})

// scripts often write one reference for all texts, 0xCC
describe('texts under one reference', () => {
  const sendParts = async (...parts: (readonly [seq: number, text: string])[]) => {
    for (const [seq, text] of parts)
      expect(await send(header8(3, seq, 0xcc), percent(Buffer.from(text)))).toEqual(ACCEPTED)
  }
  beforeEach(() => sendParts([1, 'Alert: the disk is full '], [2, 'on the host '], [3, 'alpha']))

  test.each<[string, [number, string][], string]>([
    [
      'an equal beginning',
      [
        [1, 'Alert: the disk is full '],
        [2, 'of the host '],
        [3, 'beta'],
      ],
      'Alert: the disk is full of the host beta',
    ],
    [
      'two equal parts',
      [
        [1, 'Alert: the disk is full '],
        [2, 'on the host '],
        [3, 'beta'],
      ],
      'Alert: the disk is full on the host beta',
    ],
    [
      'an equal end',
      [
        [1, 'Alert: no memory '],
        [2, 'on the host '],
        [3, 'alpha'],
      ],
      'Alert: no memory on the host alpha',
    ],
    [
      'an equal end that arrives first',
      [
        [3, 'alpha'],
        [2, 'of the host '],
        [1, 'Alert: the disk is full '],
      ],
      'Alert: the disk is full of the host alpha',
    ],
    [
      'other parts',
      [
        [1, 'All is well '],
        [2, 'at '],
        [3, 'home'],
      ],
      'All is well at home',
    ],
  ])('texts under one reference are both whole with %s', async (_, parts, text) => {
    await sendParts(...parts)
    expect(await listTexts('true')).toEqual(['Alert: the disk is full on the host alpha', text])
    await sendParts(...parts)
    expect(await listTexts('true')).toHaveLength(2)
  })

  test('texts under one reference are sent once when all of their parts are repeated', async () => {
    for (let i = 0; i < 3; i++)
      await sendParts([1, 'Alert: the disk is full '], [3, 'alpha'], [2, 'on the host '])
    expect(await listTexts('true')).toEqual(['Alert: the disk is full on the host alpha'])
  })
})

test.each([
  ['in their order', [0, 1, 2]],
  ['in the reverse order', [2, 1, 0]],
])('a part that is half a character alone is joined, %s', async (_, order) => {
  const bytes = Buffer.from(`${'я'.repeat(133)}😀`, 'utf16le').swap16()
  for (const at of order)
    await send(header8(3, at + 1), percent(bytes.subarray(at * 134, at * 134 + 134)), '&coding=2')
  expect(await listTexts('true')).toEqual([`${'я'.repeat(133)}😀`])
})

test('parts of contradictory totals are kept apart', async () => {
  for (const [total, seq, text] of [
    [2, 1, 'A'],
    [3, 2, 'B'],
    [4, 4, 'C'],
    [2, 2, 'D'],
  ] as const)
    await send(header8(total, seq), text)
  expect(await listTexts()).toEqual(['AD'])
  expect((await listWaiting()).sort()).toEqual(['B', 'C'])
})

test('a part with a validity of a minute waits for the others', async () => {
  await send(header8(2, 1), 'One', '&validity=1')
  await send(header8(2, 2), 'Two', '&validity=1')
  expect(await listTexts()).toEqual(['OneTwo'])
})

test('binary parts are refused', async () => {
  expect((await send(header8(2, 1), 'x', '&coding=1'))[0]).toBe(400)
})

test.each([
  ['as UTF-8', 'a%00b', 'c%00', ''],
  ['as UTF-16', '%00a%00%00%00b', '%00%00%00c', '&coding=2'],
  ['in a charset', '%00ab', 'c', '&charset=ISO-8859-1'],
  ['before half a character', '%00a%00b%00%00%D8%3D', '%DE%00%00c', '&coding=2'],
])('a zero byte in a part is left out, %s', async (_, one, two, more) => {
  expect(await send(header8(2, 1), one, more)).toEqual(ACCEPTED)
  expect(await send(header8(2, 2), two, more)).toEqual(ACCEPTED)
  expect((await listTexts('true')).map((body) => String(body).replace('😀', ''))).toEqual(['abc'])
})

test('a part of zero bytes alone is refused', async () => {
  expect(await send(header8(2, 1), '%00%00')).toEqual([400, 'Empty part of a text, rejected'])
  expect(await listTexts('true')).toEqual([])
})
