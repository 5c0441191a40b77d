import { NO_PROOF, startConsentFixture } from '../../support/consent-fixture.ts'
import { must } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const { server, ann, phone, record, nextNumber, agree, send, outcomes } =
  await startConsentFixture()

let group: string
let members: readonly [string, string, string]
beforeEach(async () => {
  group = (await record('contact_groups', { name: nextNumber(), requires_consent: true })).id
  members = [nextNumber(), nextNumber(), nextNumber()]
  for (const phone of members) await record('contacts', { phone, groups: [group] })
  await agree(members[0], { group })
  await agree(members[1])
})

test('a send to a group that requires consent fails for members without it, and the preview lists them', async () => {
  const body = { recipients: [], group_ids: [group], body: 'News' }
  const preview = await send('preview', body)
  expect(preview).toMatchObject({ recipients_count: 3, without_consent: 1, total_segments: 2 })
  expect(
    preview.items.filter((item: { without_consent: boolean }) => item.without_consent),
  ).toMatchObject([{ to: members[2] }])
  const { message_ids } = await send('send', body)
  const found = await outcomes(message_ids)
  expect(found).toMatchObject({ [members[2]]: `failed ${NO_PROOF}` })
  expect(found[members[0]]).toMatch(/^(assigned|sending)/)
  expect(found[members[1]]).toMatch(/^(assigned|sending)/)
  const [[failed]] = (await server.query(
    `select id from sms_messages where "to" = $1 and status = 'failed'`,
    [members[2]],
  )) as [[string]]
  expect(
    await must(
      ann,
      'GET',
      `/api/collections/sms_events/records?filter=${encodeURIComponent(`message = "${failed}"`)}`,
    ),
  ).toMatchObject({
    items: [{ status: 'failed', detail: NO_PROOF }],
  })
  expect((await ann.call('POST', `/api/sms/messages/${failed}/retry`, {})).status).toBe(409)
})

test('members without consent cost no quota', async () => {
  const used = async () => (await must(ann, 'GET', '/api/sms/usage')).used
  const before = await used()
  await send('send', { recipients: [], group_ids: [group], body: 'News' })
  expect(await used()).toBe(before + 2)
})

test.each([
  ['proof for another group only', 'failed'],
  ['a claim without proof', 'failed'],
  ['an opt-out of the group after the proof', 'failed'],
  ['proof for all purposes', 'assigned'],
])('a template that requires consent, to a number with %s, is %s', async (what, status) => {
  const template = await record('sms_templates', {
    name: nextNumber(),
    body: 'Sale',
    requires_consent: true,
  })
  const number = nextNumber()
  if (what.startsWith('proof for another')) await agree(number, { group })
  if (what.startsWith('a claim')) await agree(number, { shown: '' })
  if (what.startsWith('proof for all')) await agree(number)
  if (what.startsWith('an opt-out')) {
    await agree(number)
    await record('consents', { number, event: 'opt_out' })
    await must(
      ann,
      'PATCH',
      `/api/collections/contacts/records/${(await server.query('select id from contacts where phone = $1', [number]))[0]![0]}`,
      { opted_out: false },
    )
  }
  const { message_ids } = await send('send-template', {
    recipients: [number],
    template_id: template.id,
  })
  expect((await outcomes(message_ids))[number]).toMatch(new RegExp(`^${status}`))
})

test('an automatic answer by a template that requires consent fails without it', async () => {
  const template = await record('sms_templates', {
    name: nextNumber(),
    body: 'Sale',
    requires_consent: true,
  })
  const rule = { match: 'words', value: 'offers', template: template.id, enabled: true }
  const { id } = await record('auto_answers', { name: nextNumber(), ...rule })
  const [yes, no] = [nextNumber(), nextNumber()]
  await agree(yes)
  await server.hear(phone, [
    [yes, 'offers'],
    [no, 'offers'],
  ])
  const answers = await until('both are answered', async () => {
    const found = await server.query('select id from sms_messages where sent_by = $1', [id])
    return found.length === 2 && found.flat().map(String)
  })
  const found = await outcomes(answers)
  expect(found[no]).toBe(`failed ${NO_PROOF}`)
  expect(found[yes]).toMatch(/^(assigned|sending)/)
})

test('a send that requires consent by itself fails for people without it, and its preview names them', async () => {
  const [yes, no] = [nextNumber(), nextNumber()]
  await agree(yes)
  const wanted = { recipients: [yes, no], body: 'Sale', requires_consent: true }
  expect(await send('preview', wanted)).toMatchObject({
    recipients_count: 2,
    without_consent: 1,
    items: [
      { to: yes, without_consent: false },
      { to: no, without_consent: true },
    ],
  })
  const { message_ids } = await send('send', wanted)
  const found = await outcomes(message_ids)
  expect(found[no]).toBe(`failed ${NO_PROOF}`)
  expect(found[yes]).toMatch(/^(assigned|sending)/)
  const without = await send('send', { ...wanted, requires_consent: false })
  expect(Object.values(await outcomes(without.message_ids))).not.toContain(`failed ${NO_PROOF}`)
})

test('a send that requires no consent reaches members without consent', async () => {
  const { message_ids } = await send('send', {
    recipients: [members[2]],
    body: 'Your parcel is here',
  })
  expect((await outcomes(message_ids))[members[2]]).toMatch(/^(assigned|sending)/)
})

describe('a campaign that requires consent', () => {
  const campaign = (values: object) => ({
    body: 'Sale',
    recipients: [],
    hold_seconds: 3600,
    ...values,
  })
  const stored = async (id: string) => {
    await until(
      'it is stored',
      async () =>
        (await server.query('select settled from campaigns where id = $1', [id]))[0]![0] === true,
    )
    return server.query('select "to" from sms_messages where sent_by = $1 order by "to"', [id])
  }

  test('a campaign that requires consent leaves out and names people without it, before and after', async () => {
    const others = [nextNumber(), nextNumber()]
    await agree(others[0]!)
    const wanted = campaign({ recipients: others, group_ids: [group] })
    const without_consent = { count: 2, recipients: [others[1], members[2]] }
    expect(await must(ann, 'POST', '/api/campaigns/preview', wanted)).toMatchObject({
      recipients_count: 3,
      without_consent,
    })
    const { id, recipients_count } = await must(ann, 'POST', '/api/campaigns', wanted)
    expect(recipients_count).toBe(3)
    expect(await stored(id)).toEqual([members[0], members[1], others[0]].sort().map((to) => [to]))
    const progress = await must(ann, 'GET', `/api/campaigns/${id}/progress`)
    expect(progress.consent).toMatchObject({
      given: 3,
      since: expect.stringMatching(/^20/),
      texts: [{ shown: 'Yes, please', people: 3 }],
      without_consent,
      withdrawn: 0,
    })
    const read = await must(ann, 'GET', `/api/collections/campaigns/records/${id}`)
    expect(read).toMatchObject({
      requires_consent: true,
      without_consent: without_consent.recipients,
    })
  })

  test('a campaign that requires consent keeps the proof of the time at which its texts were sent, also after later consents and opt-outs', async () => {
    const { id } = await must(
      ann,
      'POST',
      '/api/campaigns',
      campaign({ group_ids: [group], hold_seconds: 0 }),
    )
    const ids = (await until('both texts wait', async () => {
      const found = await server.query('select id from sms_messages where sent_by = $1', [id])
      return found.length === 2 && found.flat()
    })) as string[]
    await until('both are sent', async () => {
      const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 100 })
      const sent = items.map((item: object) => ({ ...item, status: 'sent' }))
      for (const { id, attempt, status } of sent)
        await must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, status }] })
      const rows = await server.query(
        'select status from sms_messages where id = any($1::text[])',
        [ids],
      )
      return rows.every(([status]) => status === 'sent')
    })
    const read = async () => (await must(ann, 'GET', `/api/campaigns/${id}/progress`)).consent
    const before = await read()
    expect(before).toMatchObject({ given: 2, texts: [{ shown: 'Yes, please', people: 2 }] })
    await server.hear(phone, [[members[0], 'STOP']])
    await record('consents', { number: members[1], group, event: 'opt_out' })
    expect(await read()).toEqual(before)
    await agree(members[0], { group, shown: 'Another text' })
    expect(await read()).toEqual(before)
  })

  test('a campaign with requires_consent reaches only people with consent, also without a group', async () => {
    const [yes, no] = [nextNumber(), nextNumber()]
    await agree(yes)
    const { id } = await must(
      ann,
      'POST',
      '/api/campaigns',
      campaign({ recipients: [yes, no], requires_consent: true }),
    )
    expect(await stored(id)).toEqual([[yes]])
    const plain = await must(ann, 'POST', '/api/campaigns', campaign({ recipients: [yes, no] }))
    expect(await stored(plain.id)).toHaveLength(2)
    expect((await must(ann, 'GET', `/api/campaigns/${plain.id}/progress`)).consent).toBeNull()
  })

  test('a campaign that requires consent is refused without a person who has agreed', async () => {
    const answer = await ann.call(
      'POST',
      '/api/campaigns',
      campaign({ recipients: [nextNumber()], requires_consent: true }),
    )
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('consent') },
    })
  })
})

test.each([
  ['contact_groups', 'group_ids'],
  ['sms_templates', 'template_id'],
])(
  'a repeating campaign still requires the consent that a deleted record of %s required',
  async (kind, field) => {
    const made = await record(kind, {
      name: nextNumber(),
      ...(kind === 'sms_templates' && { body: 'Sale' }),
    })
    const campaign = await must(ann, 'POST', '/api/campaigns', {
      recipients: [nextNumber()],
      repeat: { cron: '0 8 * * *' },
      ...(field === 'group_ids'
        ? { body: 'Sale', group_ids: [made.id] }
        : { template_id: made.id }),
    })
    const path = `/api/collections/${kind}/records/${made.id}`
    await must(ann, 'PATCH', path, { requires_consent: true })
    await must(ann, 'DELETE', path)
    const found = await server.query('select requires_consent from campaigns where id = $1', [
      campaign.id,
    ])
    expect(found).toEqual([[true]])
  },
)

test('numbers of a send that get no text for several reasons each fail for the first of them', async () => {
  const [agreed, stopped] = [nextNumber(), nextNumber()]
  await agree(agreed)
  await record('consents', { number: stopped, event: 'opt_out' })
  const recipients = [stopped, nextNumber(), agreed]
  const { message_ids } = await send('send', { recipients, body: 'Sale', requires_consent: true })
  const found = await outcomes(message_ids)
  expect(recipients.map((number) => found[number])).toEqual([
    'failed Recipient has opted out',
    `failed ${NO_PROOF}`,
    expect.stringMatching(/^(assigned|sending)/),
  ])
})

test('once a claim has refused a text, a sweep ends the texts that wait behind it without proof, too', async () => {
  const open = (await record('contact_groups', { name: nextNumber() })).id
  const numbers = Array.from({ length: 30 }, nextNumber)
  for (const phone of numbers) await record('contacts', { phone, groups: [open] })
  await agree(numbers[29]!, { group: open })
  const claim = async (limit: number) =>
    (await must(phone, 'POST', '/api/devices/claim', { limit })).items
  // a claim returns these again, from earlier tests
  const held = (await claim(100)).length
  const { message_ids } = await send('send', { recipients: [], group_ids: [open], body: 'News' })
  await must(ann, 'PATCH', `/api/collections/contact_groups/records/${open}`, {
    requires_consent: true,
  })
  // a text of an earlier test may have become due meanwhile, and goes first
  await claim(held + 5)
  const failed = async () =>
    Object.values(await outcomes(message_ids)).filter((outcome) => outcome === `failed ${NO_PROOF}`)
  await expect.poll(async () => (await failed()).length, { timeout: 40_000 }).toBe(29)
  expect((await claim(100)).map(({ to }: { to: string }) => to)).toContain(numbers[29])
})
