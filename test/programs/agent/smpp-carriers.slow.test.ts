import { statSync } from 'node:fs'
import { makePdu } from '../../../src/programs/agent/drivers/smpp/library.ts'
import { readPhoneAddress } from '../../../src/programs/agent/drivers/smpp/smpp-settings.ts'
import { setUp } from './carrier.ts'

// What carriers do that is not in the book, or at a bad moment.

const FORMS = {
  country_code: '49',
  international_prefix: '00',
  numbers: 'auto',
} as const

test.each<[sent: string, ton: number, number: string]>([
  ['491761000002', 0, '+491761000002'],
  ['491761000002', 1, '+491761000002'],
  ['491761000002', 2, '+491761000002'],
  ['+491761000002', 5, '+491761000002'],
  ['00491761000002', 0, '+491761000002'],
  ['00491761000002', 1, '+491761000002'],
  ['01761000002', 0, '+491761000002'],
  ['01761000002', 2, '+491761000002'],
  ['1761000002', 2, '+491761000002'],
  ['80888', 0, '80888'],
  ['80888', 1, '80888'],
  ['80888', 3, '80888'],
  ['080888', 2, '080888'],
  ['4520123456', 0, '+4520123456'],
  ['4917610002', 5, '4917610002'],
  ['Bank', 1, 'Bank'],
])('a sender %s of type %i is read as %s', (sent, ton, number) => {
  expect(readPhoneAddress(sent, ton, FORMS)).toBe(number)
})

test.each<
  [
    forms: Partial<Parameters<typeof readPhoneAddress>[2]>,
    sent: string,
    ton: number,
    number: string,
  ]
>([
  [{ country_code: '' }, '491761000002', 0, '+491761000002'],
  [{ country_code: '' }, '491761000002', 2, '+491761000002'],
  [{ numbers: 'national' }, '1761000002', 0, '+491761000002'],
  [{ numbers: 'international' }, '1761000002', 2, '+1761000002'],
  [{ country_code: '' }, '01761000002', 0, '01761000002'],
  [{ country_code: '1', international_prefix: '011' }, '12125551234', 2, '+12125551234'],
  [{ country_code: '7' }, '8613800138000', 0, '+8613800138000'],
  [{ country_code: '7' }, '89161234567', 2, '+79161234567'],
])('with the settings %j a sender %s of type %i is read as %s', (forms, sent, ton, number) => {
  expect(readPhoneAddress(sent, ton, { ...FORMS, ...forms })).toBe(number)
})

test.each(['+49301234567', { address: '0301234567', ton: 2, npi: 1 }])(
  'an incoming text is assigned to its line %j',
  async (sender) => {
    const { smsc, received } = await setUp({ country_code: '49', senders: [sender] })
    const sent = {
      source_addr: '01761000002',
      source_addr_ton: 2,
      destination_addr: '0301234567',
      dest_addr_ton: 2,
    }
    await smsc.deliver({ ...sent, short_message: Buffer.from('STOP') })
    expect(received).toEqual([{ from: '+491761000002', sim: 1, body: 'STOP' }])
  },
)

test('when the carrier unbinds, open texts get answers and new ones wait for the next connection', async () => {
  const { smsc, send } = await setUp()
  smsc.answer = () => undefined
  const open = ['one', 'two'].map((body) => send({ body }))
  await expect.poll(() => smsc.submitted.length).toBe(2)
  const order: string[] = []
  const unbound = smsc.request('unbind').then(() => order.push('unbound'))
  await smsc.request('enquire_link')
  const late = send({ body: 'three' })
  for (const pdu of smsc.submitted) smsc.reply(pdu, { message_id: '1' })
  expect(await Promise.all(open.map((each) => each.finally(() => order.push('sent'))))).toEqual(
    open.map(() => ({ outcome: 'sent' })),
  )
  await unbound
  expect(order).toEqual(['sent', 'sent', 'unbound'])
  smsc.answer = () => ({ message_id: '3' })
  expect(await late).toEqual({ outcome: 'sent' })
  expect(smsc.bound).toHaveLength(2)
})

const part = (ref: number, total: number, seq: number, content: Buffer | string) => ({
  source_addr: '49151',
  source_addr_ton: 1,
  destination_addr: '4930123',
  esm_class: 0x40,
  short_message: Buffer.concat([Buffer.from([5, 0, 3, ref, total, seq]), Buffer.from(content)]),
})

test('the same long text is a repeat within 10 minutes and a new text later', async () => {
  const { smsc, received, open } = await setUp()
  const both = [part(7, 2, 1, 'A'), part(7, 2, 2, 'B')]
  const deliver = async () => {
    for (const each of both) expect(await smsc.deliver(each)).toBe(0)
    return received.length
  }
  expect(await deliver()).toBe(1)
  expect(await deliver()).toBe(1)
  await open() // nobody knows whether the answers came
  expect(await deliver()).toBe(1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await deliver()).toBe(2)
})

test('a GSM 03.38 escape split from its character is joined', async () => {
  const { smsc, received } = await setUp()
  for (const each of [part(1, 3, 3, '!'), part(1, 3, 1, 'a\x1b'), part(1, 3, 2, 'e')])
    await smsc.deliver(each)
  expect(received.map(({ body }) => body)).toEqual(['a€!'])
})

test('a late answer still links receipts to their message', async () => {
  const { smsc, delivered, send } = await setUp({ answer_seconds: 1 })
  smsc.answer = () => (smsc.submitted.length === 1 ? { message_id: '1' } : undefined)
  expect(await send({ body: 'Hello '.repeat(40) })).toEqual({ outcome: 'unknown' })
  smsc.reply(smsc.submitted[1]!, { message_id: '2' })
  for (const id of ['1', '2'])
    await smsc.deliver({
      esm_class: 4,
      short_message: Buffer.from(`id:${id} stat:DELIVRD err:000`),
    })
  expect(delivered).toEqual(['a delivered'])
})

test.each<[what: string, bytes: number, field?: object]>([
  ['in its text', 2],
  ['before its text', 5],
  ['in an address', 27],
  ['in a field', 1, { receipted_message_id: 'x-1' }],
])(
  'a PDU cut off %s is refused with status 2, and the connection continues',
  async (_, bytes, field) => {
    const { smsc, received } = await setUp()
    const fields = {
      source_addr: '49151',
      destination_addr: '4930123',
      short_message: Buffer.from('STOP'),
    }
    const whole = (
      makePdu('deliver_sm', { ...fields, ...field }) as unknown as { toBuffer(): Buffer }
    ).toBuffer()
    const cut = whole.subarray(0, whole.length - bytes)
    cut.writeUInt32BE(cut.length)
    expect(await smsc.raw(cut)).toMatchObject({ command: 'deliver_sm_resp', command_status: 2 })
    await smsc.request('enquire_link')
    expect([received, smsc.bound.length]).toEqual([[], 1])
  },
)

test('above 16 MiB of stored parts the oldest incomplete text is received, with a mark for each missing part', async () => {
  const { smsc, file, received } = await setUp()
  const message_payload = Buffer.alloc(60_000, 'x')
  const fields = {
    source_addr: '49151',
    destination_addr: '4930123',
    message_payload,
    sar_total_segments: 255,
  }
  for (let ref = 0; ref < 3; ref++)
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        smsc.deliver({ ...fields, sar_msg_ref_num: ref, sar_segment_seqnum: i + 1 }),
      ),
    )
  expect(received).toHaveLength(1)
  expect(received[0]!.body).toBe(`${'x'.repeat(6_000_000)}${'…'.repeat(155)}`)
  expect(statSync(`${file}-parts`).size).toBeLessThan(30 << 20)
})

test('at most 100 incoming texts are stored at once', async () => {
  const { smsc, inStore } = await setUp()
  const text = {
    source_addr: '49151',
    destination_addr: '4930123',
    short_message: Buffer.from('Yes'),
  }
  await Promise.all(Array.from({ length: 500 }, () => smsc.deliver(text)))
  expect(inStore.most).toBeLessThanOrEqual(100)
})
