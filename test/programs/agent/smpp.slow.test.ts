import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkCarrier } from '../../../src/programs/agent/drivers/smpp/driver.ts'
import { makePdu, type Pdu } from '../../../src/programs/agent/drivers/smpp/library.ts'
import { readSmppSettings } from '../../../src/programs/agent/drivers/smpp/smpp-settings.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { setUp } from './carrier.ts'

const TEXTS = {
  gsm: `${'Grüße für 5 € {Ωmega} '.repeat(20)}€€€`,
  latin1: 'Þórr á skóginn ½ ÷ ¢ '.repeat(20),
  ucs2: 'Ещё 😀 '.repeat(40),
}

/** The same message from the carrier, from a phone. */
const echo = ({ esm_class, data_coding, short_message, ...rest }: Pdu) => ({
  source_addr: '4915112345678',
  source_addr_ton: 1,
  destination_addr: rest.source_addr,
  esm_class,
  data_coding,
  short_message,
  ...Object.fromEntries(
    Object.entries(rest).filter(([name]) => /^(sar_|message_payload)/.test(name)),
  ),
})

test.each(
  (['udh', 'sar', 'payload'] as const).flatMap((long_texts) =>
    Object.entries(TEXTS).map(([alphabet, body]) => ({ long_texts, alphabet, body })),
  ),
)(
  'a long text in $alphabet is sent and received by $long_texts',
  async ({ long_texts, alphabet, body }) => {
    const { smsc, received, open, send } = await setUp({
      long_texts,
      alphabet: alphabet === 'latin1' ? 'latin1' : 'gsm',
    })
    expect(await send({ body, sim: 2 })).toEqual({ outcome: 'sent' })
    const { submitted } = smsc
    expect(submitted[0]).toMatchObject({
      source_addr: 'Acme',
      source_addr_ton: 5,
      destination_addr: '4915112345678',
      dest_addr_ton: 1,
      data_coding: { gsm: 0, latin1: 3, ucs2: 8 }[alphabet],
      registered_delivery: 1,
    })
    expect(submitted.length).toBe(long_texts === 'payload' ? 1 : alphabet === 'ucs2' ? 5 : 4)
    for (const { short_message } of submitted as unknown as { short_message: Buffer }[]) {
      expect(short_message.length).toBeLessThanOrEqual(alphabet === 'gsm' ? 160 : 140)
      if (alphabet === 'gsm') expect(short_message.at(-1)).not.toBe(0x1b)
      if (alphabet === 'ucs2' && short_message.length > 0)
        expect(short_message.at(-2)! & 0xfc).not.toBe(0xd8)
    }
    // the last part first, the first one twice, and a restart before the others
    const [first, ...others] = [...submitted].reverse()
    for (const pdu of [first!, first!]) expect(await smsc.deliver(echo(pdu))).toBe(0)
    if (others.length > 0) expect(received).toEqual([])
    await open()
    for (const pdu of others) expect(await smsc.deliver(echo(pdu))).toBe(0)
    const times = long_texts === 'payload' ? 2 : 1
    expect(received).toEqual(new Array(times).fill({ from: '+4915112345678', sim: 2, body }))
    if (others.length > 0) await smsc.deliver(echo(others.at(-1)!))
    expect(received).toHaveLength(times)
  },
)

test.each<[what: string, hex: string, data_coding: number, body: string, esm_class?: number]>([
  ['an escape of GSM 03.38', '1b654100', 0, '€A@'],
  ['a message class', '001b3c', 0xf1, '@['],
  ['ASCII', '41e9', 1, 'Aé'],
  ['Latin-1 with a zero', '4100e9', 3, 'Aé'],
  ['UCS-2 with an extra byte', '00e9d83dde0000', 8, 'é😀'],
  ['half a character', 'd83d0041', 8, '\ufffdA'],
  ['a header without parts', '06050400000000c8', 3, 'È', 0x40],
  ['a header that is cut off', '0a0003', 3, '', 0x40],
])('an incoming text with %s is read as "$3"', async (_, hex, data_coding, body, esm_class = 0) => {
  const { smsc, received } = await setUp()
  const fields = { source_addr: 'Bank', source_addr_ton: 5, destination_addr: '4930123', esm_class }
  expect(
    await smsc.deliver({ ...fields, data_coding, short_message: Buffer.from(hex, 'hex') }),
  ).toBe(0)
  expect(received).toEqual([{ from: 'Bank', sim: 1, body }])
})

// a WAP push of a page (port 2948), in one part and in two; a vCard (port 9204)
const PUSH = '25060a03ae81ea8d'
const LINK = '02056a0045c60c037777772e'
test.each<[what: string, parts: readonly object[], hex: string]>([
  ['a WAP push', [{ data_coding: 0xf5, header: '0605040b8423f0', hex: PUSH }], PUSH],
  [
    'a WAP push of two parts',
    [
      { data_coding: 4, header: '0b05040b8423f00003070201', hex: PUSH },
      { data_coding: 4, header: '0b05040b8423f00003070202', hex: LINK },
    ],
    PUSH + LINK,
  ],
  ['data for a port of 8 bits', [{ data_coding: 4, header: '040402e2e2', hex: PUSH }], PUSH],
  ['data for a port in a field', [{ data_coding: 4, dest_port: 9204, hex: LINK }], LINK],
])('%s is stored as data, not as a text', async (_, parts, hex) => {
  const { smsc, received } = await setUp()
  const from = { source_addr: '4915112345678', source_addr_ton: 1, destination_addr: '4930123' }
  for (const { header = '', hex: bytes, ...fields } of parts as readonly Record<string, string>[])
    expect(
      await smsc.deliver({
        ...from,
        ...fields,
        esm_class: header ? 0x40 : 0,
        short_message: Buffer.from(header + bytes, 'hex'),
      }),
    ).toBe(0)
  const body = `data:application/octet-stream;base64,${Buffer.from(hex, 'hex').toString('base64')}`
  expect(received).toEqual([{ from: '+4915112345678', sim: 1, body }])
})

test('a text whose reference is reused is reported without its missing parts', async () => {
  const { smsc, received } = await setUp()
  const fields = {
    source_addr: '49151',
    source_addr_ton: 1,
    destination_addr: '4930123',
    esm_class: 0x40,
  }
  for (const part of ['0500030702014131', '0500030702014231', '0500030702024232'])
    expect(await smsc.deliver({ ...fields, short_message: Buffer.from(part, 'hex') })).toBe(0)
  expect(received.map(({ body }) => body)).toEqual(['A1…', 'B1B2'])
})

test('20 equal incoming texts at the same moment get different times, so that each counts', async () => {
  const { smsc, instants } = await setUp()
  const text = {
    source_addr: '49151',
    destination_addr: '4930123',
    short_message: Buffer.from('Yes'),
  }
  await Promise.all(Array.from({ length: 20 }, () => smsc.deliver(text)))
  expect(instants.size).toBe(20)
})

const receipt = (id: string, stat = 'DELIVRD', err = '000') => ({
  esm_class: 4,
  short_message: Buffer.from(
    `id:${id} sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:${stat} err:${err} text:Hello`,
  ),
})
const tlv = (receipted_message_id: string | Buffer, message_state = 2) => ({
  esm_class: 4,
  short_message: Buffer.alloc(0),
  receipted_message_id,
  message_state,
})

test.each<[what: string, settings: object, ids: readonly string[], receipts: readonly object[]]>([
  ['texts', {}, ['00A1', '00a2'], [receipt('a1'), receipt('00A2')]],
  [
    'decimal ids for hexadecimal answers',
    { answer_ids: 'hex', receipt_ids: 'decimal' },
    ['1A2B', '00ff'],
    [receipt('0000006699'), receipt('255')],
  ],
  [
    'hexadecimal ids for decimal answers',
    { answer_ids: 'decimal', receipt_ids: 'hex' },
    ['6699', '255'],
    [receipt('1A2B'), receipt('FF')],
  ],
  ['fields', {}, ['x-1', 'x-2'], [tlv('x-1\0'), tlv('x-2')]],
])(
  'receipts with %s are matched before and after the answer and after a restart',
  async (_, settings, ids, receipts) => {
    const { smsc, delivered, open, send } = await setUp(settings)
    const body = 'Hello '.repeat(40)
    smsc.answer = () => ({ message_id: ids[(smsc.submitted.length - 1) % 2]! })
    await send({ id: 'after', body })
    await smsc.deliver(receipts[1]!)
    await smsc.deliver(receipts[1]!)
    expect(delivered).toEqual([])
    await open()
    await smsc.deliver(receipts[0]!)
    expect(delivered).toEqual(['after delivered'])
    for (const each of receipts) await smsc.deliver(each)
    await send({ id: 'before', body })
    expect(delivered).toEqual(['after delivered', 'before delivered'])
  },
)

test('a receipt for an id that the carrier gives again belongs to the newer text', async () => {
  const { smsc, delivered, send } = await setUp()
  smsc.answer = () => ({ message_id: '1' })
  await send({ id: 'old' })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 86_400_000 })
  onTestFinished(() => void vi.useRealTimers())
  await smsc.deliver(receipt('1'))
  expect(delivered).toEqual([])
  await send({ id: 'new' })
  expect(delivered).toEqual(['new delivered'])
})

test('a text fails when one part fails; intermediate states and unknown ids have no effect', async () => {
  const { smsc, delivered, send } = await setUp()
  await send({ body: 'Hello '.repeat(40) })
  for (const each of [receipt('1', 'ENROUTE'), receipt('99', 'UNDELIV'), tlv('1', 6), receipt('1')])
    expect(await smsc.deliver(each)).toBe(0)
  expect(delivered).toEqual([])
  for (const id of ['2', '2', '1']) await smsc.deliver(receipt(id, 'UNDELIV', '034'))
  await send({ id: 'b' })
  await smsc.deliver(receipt('3', 'REJECTD', ''))
  const refused = 'The carrier did not deliver it:'
  expect(delivered).toEqual([`a ${refused} UNDELIV 034`, `b ${refused} REJECTD`])
})

test("an id that appears twice in a receipt is read in the receipts' form", async () => {
  const { smsc, delivered, send } = await setUp({ answer_ids: 'hex', receipt_ids: 'decimal' })
  for (const message_id of ['6699', '1A2B']) {
    smsc.answer = () => ({ message_id })
    await send({ id: message_id })
  }
  await smsc.deliver({ ...tlv('6699\0'), ...receipt('6699') })
  expect(delivered).toEqual(['1A2B delivered'])
})

test("a phone's text that looks like a receipt is stored as a text", async () => {
  const { smsc, received, delivered, send } = await setUp()
  await send()
  await smsc.deliver({
    ...receipt('1'),
    esm_class: 0,
    source_addr: '49151',
    destination_addr: 'Acme',
  })
  expect([delivered, received.length]).toEqual([[], 1])
})

test("a text with the carrier's message id is stored as a text", async () => {
  const { smsc, received } = await setUp()
  const fields = {
    esm_class: 0,
    source_addr: '456',
    destination_addr: '4930123',
    receipted_message_id: 'x-1',
  }
  await smsc.deliver({ ...fields, short_message: Buffer.from('1') })
  expect(received).toEqual([{ from: '456', sim: 1, body: '1' }])
})

test('texts that the carrier throttles are all sent once', async () => {
  const { smsc, send } = await setUp({ window: 5 })
  const taken: string[] = []
  smsc.answer = (pdu) => {
    if (smsc.submitted.length < 4)
      return { command_status: smsc.submitted.length % 2 ? 0x58 : 0x14 }
    return { message_id: String(taken.push(String(pdu.short_message))) }
  }
  const bodies = Array.from({ length: 20 }, (_, i) => `text ${i}`)
  const results = await Promise.all(bodies.map((body) => send({ body })))
  expect(results).toEqual(bodies.map(() => ({ outcome: 'sent' })))
  expect(taken.sort()).toEqual(bodies.sort())
})

test.each([
  ['of another command', 'generic_nack', 16],
  ['that is cut off by a lost connection', 'submit_sm_resp', -3],
])('an answer %s does not count as sent', async (_, command, end) => {
  const { smsc, send } = await setUp()
  smsc.answer = ({ sequence_number }) => {
    const answer = makePdu(command, { sequence_number, message_id: '12345' })
    const bytes = (answer as unknown as { toBuffer(): Buffer }).toBuffer()
    smsc.end(bytes.subarray(0, end))
    return undefined
  }
  expect(await send()).toEqual({ outcome: 'unknown' })
})

test('a long text accepted only in part is unknown when its time ends', async () => {
  const { smsc, send } = await setUp()
  smsc.answer = () => (smsc.submitted.length > 1 ? { command_status: 0x58 } : { message_id: '1' })
  expect(await send({ body: 'Hello '.repeat(40) }, performance.now() + 500)).toEqual({
    outcome: 'unknown',
  })
})

test('a long text gets no further part once the server wants it back', async () => {
  const { smsc, send } = await setUp()
  const recall = new AbortController()
  smsc.answer = () => {
    if (smsc.submitted.length === 1) return { message_id: '1' }
    recall.abort()
    return { command_status: 0x58 }
  }
  const ways = { signal: recall.signal, mayLeaveAfter: async () => !recall.signal.aborted }
  const body = 'Your parcel '.repeat(40)
  expect(await send({ body }, performance.now() + 60_000, ways)).toEqual({ outcome: 'unknown' })
  expect(smsc.submitted).toHaveLength(2)
})

test('a refused text has failed, and is marked not sent if a retry may succeed', async () => {
  const { smsc, send } = await setUp()
  smsc.answer = () => ({ command_status: 0x0b })
  const error = 'The carrier refused it: ESME_RINVDSTADR (0x0b)'
  expect(await send()).toEqual({ outcome: 'failed', error, notSent: false })
  smsc.answer = () => ({ command_status: 0x08 })
  expect(await send()).toMatchObject({ outcome: 'failed', notSent: true })
  smsc.answer = () => ({ command_status: 0x58 })
  expect(await send({}, performance.now() + 500)).toBe('no turn')
  expect(await send({ sim: 3 })).toMatchObject({ outcome: 'failed', notSent: true })
})

test('a text without an answer has an unknown outcome and is not submitted again', async () => {
  const { smsc, send } = await setUp({ answer_seconds: 1 })
  smsc.answer = () => undefined
  expect(await send()).toEqual({ outcome: 'unknown' })
  const texts = [send(), send({ body: 'Hello '.repeat(40) })]
  await expect.poll(() => smsc.submitted.length).toBe(3)
  smsc.cut()
  expect(await Promise.all(texts)).toEqual([{ outcome: 'unknown' }, { outcome: 'unknown' }])
  smsc.answer = () => ({ message_id: '1' })
  expect(await send()).toEqual({ outcome: 'sent' })
  expect(smsc.submitted).toHaveLength(4)
  expect(smsc.bound).toHaveLength(2)
})

test.each(['', '000000'])(
  'answers count that came just before the end of a link, whose last bytes are "%s"',
  async (hex) => {
    const { smsc, send } = await setUp({ window: 20 })
    smsc.answer = () => undefined
    const texts = Array.from({ length: 20 }, (_, i) => send({ id: String(i) }))
    await expect.poll(() => smsc.submitted.length).toBe(20)
    for (const [i, pdu] of smsc.submitted.entries()) smsc.reply(pdu, { message_id: String(i) })
    smsc.end(Buffer.from(hex, 'hex'))
    expect(await Promise.all(texts)).toEqual(texts.map(() => ({ outcome: 'sent' })))
  },
)

test('an answer that came in time counts although the agent read it after the time', async () => {
  const { smsc, send } = await setUp({ answer_seconds: 1 })
  smsc.answer = () => {
    // when the answer is written, this process stands still
    process.nextTick(() => {
      for (const end = performance.now() + 1_500; performance.now() < end; );
    })
    return { message_id: '1' }
  }
  expect(await send()).toEqual({ outcome: 'sent' })
})

test.each(['0000000800000000', '00000000'])(
  'an invalid PDU %s closes the connection, and texts continue on the next',
  async (hex) => {
    const { smsc, received, send } = await setUp({
      bind: 'separate',
      validity_minutes: 1501,
      window: 1,
    })
    expect(smsc.bound.map(({ command }) => command).sort()).toEqual([
      'bind_receiver',
      'bind_transmitter',
    ])
    smsc.write(Buffer.from(hex, 'hex'))
    await expect.poll(() => smsc.bound.length, { timeout: 10_000 }).toBe(4)
    expect(await send()).toEqual({ outcome: 'sent' })
    expect(smsc.submitted[0]).toMatchObject({ validity_period: '000001010100000R' })
    expect(received).toEqual([])
  },
)

test("the check prints the carrier's answer", async () => {
  const { smsc, settings } = await setUp()
  const lines: string[] = []
  await checkCarrier(settings, (line) => lines.push(line))
  const bind = `bind_transceiver as acme at 127.0.0.1:${settings.port}`
  expect(lines).toEqual([`${bind}: ESME_ROK (0x00)`])
  smsc.bindStatus = 0x0e
  await expect(checkCarrier(settings, () => {})).rejects.toThrow(`${bind}: ESME_RINVPASWD (0x0e)`)
})

const RIGHT = { host: 'a', system_id: 'b', password: 'c0nfidential', senders: ['+4930123'] }
test.each<[what: string, text: string]>([
  ['is not JSON', '{"password":"c0nfidential",}'],
  ['the file: ', '[]'],
  ['host: ', JSON.stringify({ ...RIGHT, host: 1 })],
  ['port: ', JSON.stringify({ ...RIGHT, port: 0 })],
  ['pasword', JSON.stringify({ ...RIGHT, pasword: 'c0nfidential' })],
  ['senders.0: must be a number', JSON.stringify({ ...RIGHT, senders: ['A name that is long'] })],
  ['senders.0: must be a number', JSON.stringify({ ...RIGHT, senders: ['+49 30 123'] })],
  ...['999', '0', '049', '881', '+49', 'DE'].map((country_code): [string, string] => [
    'country_code: must be the calling code of a country, as "49"',
    JSON.stringify({ ...RIGHT, country_code }),
  ]),
  ['password is missing', JSON.stringify({ ...RIGHT, password: undefined })],
])('settings are refused with a sentence that contains "%s"', (what, text) => {
  const file = join(temporaryFolder(), 'wrong.json')
  writeFileSync(file, text)
  const read = () => readSmppSettings(file, {})
  expect(read).toThrow(what)
  expect(read).not.toThrow('c0nfidential')
})

test.each(['', '49', '1', '852'])('settings may have the calling code "%s"', (country_code) => {
  const file = join(temporaryFolder(), 'right.json')
  writeFileSync(file, JSON.stringify({ ...RIGHT, country_code }))
  expect(readSmppSettings(file, {})).toMatchObject({ country_code })
})
