import { decodeSmsText } from '../../../src/programs/agent/drivers/smpp/decode-text.ts'
import { NATIONAL_TABLES } from '../../../src/programs/agent/drivers/smpp/national-tables.ts'
import { setUp } from './carrier.ts'

/** Bytes in each alphabet, and their text. */
const SAMPLES = {
  gsm: ['1b650041', '€@A'],
  latin1: ['c4d6', 'ÄÖ'],
  utf8: ['c3a9', 'é'],
  ucs2: ['041600e9', 'Жé'],
  shift_jis: ['83658358', 'テス'],
  'iso-8859-5': ['b6d0', 'Жа'],
  'iso-8859-8': ['f9ec', 'של'],
  'iso-2022-jp': ['1b244225461b2842', 'テ'],
  'euc-jp': ['8fb0a1a5c6', '丂テ'],
  'euc-kr': ['b0a1', '가'],
} as const
type Alphabet = keyof typeof SAMPLES

/** What each data_coding means, from its first to its last. Bytes are UTF-8 if they can be, else Latin-1. */
const MEANINGS: readonly [
  from: number,
  to: number,
  alphabet: Alphabet | 'UTF-8 or Latin-1' | 'the default alphabet',
][] = [
  [0x00, 0x00, 'the default alphabet'],
  [0x01, 0x01, 'latin1'],
  [0x02, 0x02, 'UTF-8 or Latin-1'],
  [0x03, 0x03, 'latin1'],
  [0x04, 0x04, 'UTF-8 or Latin-1'],
  [0x05, 0x05, 'shift_jis'],
  [0x06, 0x06, 'iso-8859-5'],
  [0x07, 0x07, 'iso-8859-8'],
  [0x08, 0x08, 'ucs2'],
  [0x09, 0x09, 'shift_jis'],
  [0x0a, 0x0a, 'iso-2022-jp'],
  [0x0b, 0x0c, 'the default alphabet'],
  [0x0d, 0x0d, 'euc-jp'],
  [0x0e, 0x0e, 'euc-kr'],
  [0x0f, 0x0f, 'the default alphabet'],
  // general groups, with a class, compressed, and deleted once they are read
  ...[0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70].flatMap((group): typeof MEANINGS => [
    [group, group + 3, 'gsm'],
    [group + 4, group + 7, 'UTF-8 or Latin-1'],
    [group + 8, group + 11, 'ucs2'],
    [group + 12, group + 15, 'the default alphabet'],
  ]),
  [0x80, 0xbf, 'the default alphabet'],
  [0xc0, 0xdf, 'gsm'],
  [0xe0, 0xef, 'ucs2'],
  [0xf0, 0xf3, 'gsm'],
  [0xf4, 0xf7, 'UTF-8 or Latin-1'],
  [0xf8, 0xfb, 'gsm'],
  [0xfc, 0xff, 'UTF-8 or Latin-1'],
]

const read = (
  hex: string,
  dataCoding: number,
  fallback: 'gsm' | 'latin1' = 'gsm',
  single = 0,
  locking = 0,
) => decodeSmsText(Buffer.from(hex, 'hex'), { dataCoding, single, locking }, fallback)

test('the table of alphabets names each data_coding once', () => {
  const named = MEANINGS.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i),
  )
  expect(named).toEqual(Array.from({ length: 256 }, (_, i) => i))
})

test.each(MEANINGS)('each data_coding from %i to %i is read as %s', (from, to, alphabet) => {
  for (let coding = from; coding <= to; coding++) {
    const of = (name: Alphabet, fallback?: 'gsm' | 'latin1') =>
      read(SAMPLES[name][0], coding, fallback)
    if (alphabet === 'UTF-8 or Latin-1')
      expect([of('utf8'), of('latin1')]).toEqual([SAMPLES.utf8[1], SAMPLES.latin1[1]])
    else if (alphabet === 'the default alphabet')
      expect([of('gsm'), of('latin1', 'latin1')]).toEqual([SAMPLES.gsm[1], SAMPLES.latin1[1]])
    else expect(of(alphabet)).toBe(SAMPLES[alphabet][1])
  }
})

test.each<[what: string, hex: string, text: string]>([
  ['big-endian with a byte order mark', 'feff0416', 'Ж'],
  ['little-endian with a byte order mark', 'fffe1604', 'Ж'],
  ['with an extra byte', '041600', 'Ж'],
])('UCS-2 %s is read as "$2"', (_, hex, text) => {
  expect(read(hex, 8)).toBe(text)
})

test('each national language table has 128 codes with the escape in its place', () => {
  expect(Object.keys(NATIONAL_TABLES)).toHaveLength(13)
  for (const { locking, single } of Object.values(NATIONAL_TABLES)) {
    expect(locking?.length ?? 128).toBe(128)
    expect(locking?.[0x1b] ?? '\x1b').toBe('\x1b')
    expect(single.length).toBeLessThanOrEqual(128)
    expect([single[0x65], single[0x3c], single[0x1b]]).toEqual(['€', '[', ' '])
  }
})

/** Rows of 3GPP TS 23.038, annex A. An escape before a code without a character shows the main table's. */
test.each<[language: string, single: number, locking: number, hex: string, text: string]>([
  ['Turkish', 1, 0, '1b471b671b731b63', 'Ğğşç'],
  ['Turkish', 0, 1, '0b0c1c1d60', 'ĞğŞşç'],
  ['Turkish', 1, 1, '401b65', 'İ€'],
  ['Spanish', 2, 0, '1b411b691b09', 'Áíç'],
  ['Spanish, which has no locking table', 2, 2, '001b6f', '@ó'],
  ['Portuguese', 3, 0, '1b0b1b7b1b7f', 'Ôãâ'],
  ['Portuguese', 0, 3, '151b3c5b', '∞[Ã'],
  ['Bengali', 4, 4, '001b1c', '\u0981\u09e8'],
  ['Gujarati', 0, 5, '0010', '\u0a81\u0a90'],
  ['Hindi', 6, 6, '0001021b1e', '\u0901\u0902\u0903\u0968'],
  ['Kannada', 0, 7, '2401', '\u0ca1\u0c82'],
  ['Malayalam', 0, 8, '7f', '\u0d79'],
  ['Oriya', 0, 9, '00', '\u0b01'],
  ['Punjabi', 0, 10, '7f', '\u0a74'],
  ['Tamil', 11, 11, '1b2a7d', '\u0bf5\u0bf1'],
  ['Telugu', 0, 12, '00', '\u0c01'],
  ['Urdu', 13, 13, '005d1b41', '\u0627\u0650A'],
  ['a language that is not known', 99, 99, '001b6541', '@€A'],
  ['Turkish, with an escape that leads nowhere', 1, 0, '1b41', 'A'],
])('%s is read by the tables %i and %i: %s as "%s"', (_, single, locking, hex, text) => {
  expect(read(hex, 0, 'latin1', single, locking)).toBe(text)
  expect(read(hex, 0xf1, 'gsm', single, locking)).toBe(text)
})

const from = {
  source_addr: '49151',
  source_addr_ton: 1,
  destination_addr: '4930123',
  esm_class: 0x40,
}

test('parts of a long Turkish text are joined in any order and across a restart', async () => {
  const { smsc, received, open } = await setUp()
  const part = (seq: number, hex: string) => ({
    ...from,
    short_message: Buffer.from(`0b000309020${seq}240101250101${hex}`, 'hex'),
  })
  await smsc.deliver(part(2, '1c61'))
  await open()
  await smsc.deliver(part(1, '0b1b'))
  expect(received.map(({ body }) => body)).toEqual(['ĞŞa'])
})

test('parts in different alphabets are each read in their own', async () => {
  const { smsc, received } = await setUp()
  const part = (seq: number, more: string, hex: string, data_coding = 0) => ({
    ...from,
    data_coding,
    short_message: Buffer.from(`${more === '' ? '05' : '08'}000307030${seq}${more}${hex}`, 'hex'),
  })
  await smsc.deliver(part(1, '', '1b65'))
  await smsc.deliver(part(2, '240101', '1b47'))
  await smsc.deliver(part(3, '', '0416', 8))
  expect(received.map(({ body }) => body)).toEqual(['€ĞЖ'])
})

test.each<[what: string, data_coding: number, encoding: 'ucs2' | 'latin1']>([
  ['UCS-2', 8, 'ucs2'],
  ['UCS-2 of a message class', 0x19, 'ucs2'],
  ['ASCII, with the data_coding of UCS-2', 8, 'latin1'],
  ['ASCII, by the default alphabet', 0, 'latin1'],
])('a receipt in %s confirms its text', async (_, data_coding, encoding) => {
  const { smsc, delivered, received, send } = await setUp()
  smsc.answer = () => ({ message_id: 'a_b@1' })
  await send()
  const text = Buffer.from('id:a_b@1 sub:001 dlvrd:001 stat:DELIVRD err:000 text:', encoding)
  const short_message = encoding === 'ucs2' ? text.swap16() : text
  await smsc.deliver({ ...from, esm_class: 4, data_coding, short_message })
  expect([delivered, received]).toEqual([['a delivered'], []])
})

const RECEIPT = { esm_class: 4, short_message: Buffer.from('id:2 stat:DELIVRD err:000') }

test.each([
  ['each', 'DELIVRD', []],
  ['one', 'DELIVRD', ['a delivered']],
  ['one', 'UNDELIV', ['a The carrier did not deliver it: UNDELIV 000']],
] as const)(
  'with receipts for %s part, the receipt %s for the second part of a long text reports $2',
  async (receipt_for_parts, state, expected) => {
    const { smsc, delivered, send } = await setUp({ receipt_for_parts })
    expect(await send({ body: 'Hello '.repeat(40) })).toEqual({ outcome: 'sent' })
    expect(smsc.submitted).toHaveLength(2)
    await smsc.deliver({ ...RECEIPT, short_message: Buffer.from(`id:2 stat:${state} err:000`) })
    expect(delivered).toEqual(expected)
    await smsc.deliver({ ...RECEIPT, short_message: Buffer.from('id:1 stat:DELIVRD err:000') })
    expect(delivered).toHaveLength(1)
  },
)

test('one receipt confirms a long text if the carrier gave it one id', async () => {
  const { smsc, delivered, send } = await setUp({ receipt_for_parts: 'one' })
  smsc.answer = () => (smsc.submitted.length === 2 ? { message_id: '2' } : {})
  await send({ body: 'Hello '.repeat(40) })
  await smsc.deliver(RECEIPT)
  expect(delivered).toEqual(['a delivered'])
})
