import { readFile } from 'node:fs/promises'
import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const PEOPLE = 60
const LONG = `${'A long text with many words that needs several short messages. '.repeat(9)}😀`

/** Ann with a phone that has sent to 60 people, of whom one failed, and heard from one. */
async function furnish(fixture: BrowserFixture) {
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'desk phone')
  const send = (recipients: readonly string[], body: string, more: object = {}) =>
    ann.send('/api/sms/send', { method: 'POST', body: { recipients, body, ...more } })
  await send(
    Array.from({ length: PEOPLE }, (_, i) => `+49151${1_000_000 + i}`),
    'Hello to "all", of you',
  )
  for (const task of await phone.claim()) {
    const isWrong = task.to === '+491511000007'
    await phone.report(
      task,
      isWrong ? 'failed' : 'sent',
      isWrong ? { error_message: 'No such number' } : {},
    )
  }
  await phone.hear('+491511000003', 'Who is this?')
  return { ann, phone, send }
}

scenario('a filter is typed, refused if wrong, and built from conditions', async (fixture) => {
  const { page } = fixture
  await fixture.signIn()
  await fixture.visit('/messages')
  await page.getByText('No messages yet').waitFor()
  await fixture.look('messages-empty')
  await furnish(fixture)
  await page.getByText('61 messages').waitFor()
  const head = (await page.getByRole('table').boundingBox())!.y
  expect(head).toBeLessThanOrEqual(fixture.screen === 'phone' ? 120 : 240)

  await page.getByRole('button', { name: 'Filters' }).click()
  const filter = page.getByRole('textbox', { name: 'Filter' })
  await filter.fill('status = "failed" and created >= @todayStart')
  await page.keyboard.press('Enter')
  await page.getByText('The filter is not understood from here on: and created').waitFor()
  expect(page.url()).not.toContain('filter=')
  await fixture.look('filter-wrong')
  await filter.fill('creatd >= @todayStart')
  await fixture.refused(/^GET .*filter=creatd.*: 400/, async () => {
    await page.keyboard.press('Enter')
    await page.getByText('The server does not understand this filter.').waitFor()
  })
  await page.getByRole('button', { name: 'Clear Filter' }).click()
  await page.getByText('Add a condition').click()
  await page.getByLabel('Value').selectOption('Failed')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('1 message', { exact: true }).waitFor()
  await page.getByLabel('Field').selectOption('Why it failed')
  await page.getByLabel('Value').fill('such number')
  await page.keyboard.press('Enter')
  await page.waitForURL(/filter=[^&]*error_message/)
  expect(await filter.inputValue()).toBe('status = "failed" && error_message ~ "such number"')
  await page.getByText('1 message', { exact: true }).waitFor()
  await page.getByText('No such number').first().waitFor({ state: 'attached' })
  await fixture.look('filter-right')

  await page.getByRole('button', { name: 'Saved' }).click()
  await fixture.look('filter-saved')
  await page.getByRole('button', { name: 'Save this filter' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Trouble of today')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Clear Filter' }).click()
  await page.getByText('61 messages').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByRole('button', { name: 'Trouble of today status' }).click()
  await page.getByText('1 message', { exact: true }).waitFor()
  await filter.fill('body = "nowhere"')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing found').waitFor()
  await fixture.look('filter-nothing')
  await page.getByRole('button', { name: 'Filters (1)' }).click()
  await page.getByRole('button', { name: 'Remove the filter body = "nowhere"' }).click()
  await page.getByText('61 messages').waitFor()
})

scenario(
  'new messages appear live, and the list grows where it is scrolled to',
  async (fixture) => {
    const { page } = fixture
    const { phone, send } = await furnish(fixture)
    await fixture.signIn()
    await fixture.visit('/messages')
    await page.getByText('61 messages').waitFor()
    await page.mouse.move(0, 0) // under a pointer, new messages wait
    await send(['+491519999999'], LONG)
    await page.getByText('62 messages').waitFor()
    const [task] = await phone.claim()
    await page.getByRole('cell', { name: 'Sending' }).waitFor()
    await phone.report(task!, 'delivered')
    await page.getByRole('cell', { name: 'Delivered' }).waitFor()
    await fixture.look('messages-long')

    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(50)
    await rows.last().scrollIntoViewIfNeeded()
    await expect.poll(() => rows.count()).toBe(62)
    await rows.nth(60).getByRole('link').click()
    await page.locator('main a.back').click()
    await expect.poll(() => rows.count()).toBe(62)
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(1000)

    // a list of over 500 has pages
    await send(
      Array.from({ length: 500 }, (_, i) => `+49152${1_000_000 + i}`),
      'To all',
    )
    await page.getByText('562 messages').waitFor()
    await fixture.visit('/messages?page=2')
    await page.getByText('Page 2 of 2').waitFor()
    await expect.poll(() => rows.count()).toBe(62)
    const first = await rows.first().innerText()
    await send(['+491519999998', '+491519999997'], 'News')
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await rows.first().innerText()).toBe(first)
    await fixture.look('messages-fresh')
    await page.getByRole('button', { name: '2 new' }).click()
    await page.getByText('564 messages').waitFor()
    await expect.poll(() => rows.first().innerText()).toContain('News')

    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('button', { name: 'Received', exact: true }).click()
    await page.getByText('1 message', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByRole('searchbox').fill('0049 151 999-9999')
    await page.getByText('1 message', { exact: true }).waitFor()
  },
)

scenario('messages are found by contact names', async (fixture) => {
  const { page } = fixture
  const { ann } = await furnish(fixture)
  const user = ann.authStore.record!.id
  const add = (name: string, digits: string) =>
    ann
      .collection('contacts')
      .create({ user, name, phone: `+49151${digits}` }, { requestKey: null })
  await add('Çağla Ünal', '1000003') // wrote back
  await add('Anna Lopez', '1000004')
  await add('Anna Berg', '1000005')
  await fixture.signIn()
  await fixture.visit('/messages')
  await page.getByText('61 messages').waitFor()
  const search = page.getByLabel('Name, number or text')
  for (const [words, count] of [
    ['anna', '2 messages'],
    ['ünal', '2 messages'],
    ['who is', '1 message'],
    ['nobody at all', '0 messages'],
    ['Anna Lopez', '1 message'],
  ] as const) {
    await search.fill(words)
    await page.getByText(count, { exact: true }).waitFor()
  }
  await page.getByText('Anna Lopez').first().waitFor()
  await page.reload()
  await page.getByText('1 message', { exact: true }).waitFor()

  const many = Array.from({ length: 51 }, (_, i) => add(`Anna ${i}`, String(2_000_000 + i)))
  await Promise.all(many)
  await search.fill('Anna')
  await page
    .getByText('More than 50 contacts have words of “Anna” in their name: type more of it.')
    .waitFor()
  await fixture.look('messages-named')
})

scenario('filtered messages are exported as CSV', async (fixture) => {
  const { page } = fixture
  await furnish(fixture)
  await fixture.signIn()
  await fixture.visit('/messages?filter=message_type%20%3D%20%22outgoing%22')
  await page.getByText('60 messages').waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByLabel('Delivered at').uncheck()
  await page.getByLabel('Segments').check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^messages-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readFile((await download.path())!, 'utf8')).trimEnd().split('\r\n')
  expect(lines[0]).toBe(
    '\ufeffTime,Direction,Contact,From,To,Text,State,Why it failed,Device,Sent by,Sent at,Segments',
  )
  expect(lines).toHaveLength(1 + PEOPLE)
  expect(
    lines.filter((line) =>
      line.includes('"Hello to ""all"", of you",Failed,No such number,desk phone'),
    ),
  ).toHaveLength(1)
  await page.getByText('Export saved').waitFor()

  await page.route('**/export?*', () => {}) // never answers
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
  await page.getByText('0 of 60 messages').waitFor()
  await fixture.look('export-running')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Export stopped').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
})

scenario('a waiting message is canceled and a failed one sent again', async (fixture) => {
  const { page } = fixture
  const { ann, phone, send } = await furnish(fixture)
  await fixture.signIn()
  const { message_ids: waiting } = await send(['+491512222222'], 'Wait')
  await fixture.visit(`/messages/${waiting[0]}`)
  await page.getByText('Waits for desk phone').waitFor()
  await fixture.look('message-waiting')
  await page.getByRole('button', { name: 'Cancel the message' }).click()
  await page.locator('.notice').getByText('Canceled').waitFor()
  await fixture.look('message-canceled')

  const failed = await ann
    .collection('sms_messages')
    .getFirstListItem('error_message = "No such number"')
  await fixture.visit(`/messages/${failed.id}`)
  await page.getByText('No such number').first().waitFor()
  await page.getByText('desk phone has it').waitFor()
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('A new message with this text is being sent').waitFor()
  await page.getByRole('link', { name: 'the message that failed' }).waitFor()
  const [again] = await phone.claim()
  await page.getByText('desk phone has it').waitFor()
  await phone.report(again!, 'sent')
  await page.getByText('Sent by desk phone').waitFor()
  await phone.report(again!, 'delivered')
  await page.getByText('Arrived').first().waitFor()
  await fixture.look('message-delivered')
  await page.getByRole('link', { name: 'the message that failed' }).click()
  await page.getByRole('link', { name: 'the new message' }).waitFor()

  const { message_ids: silent } = await send(['+491513333333'], 'Silence')
  const [task] = await phone.claim()
  // what the server writes when a lease is over
  await phone.report(task!, 'failed', { error_message: 'Outcome unknown: the device went silent' })
  await fixture.visit(`/messages/${silent[0]}`)
  await page.getByText('The text may have gone out, or').waitFor()
  await fixture.look('message-unknown')
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('may reach the person twice').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Send again' }).waitFor()

  const received = await ann.collection('sms_messages').getFirstListItem('status = "received"')
  await fixture.visit(`/messages/${received.id}`)
  await page.getByText('Came in on desk phone').waitFor()
  await fixture.look('message-received')
  await page.getByRole('link', { name: 'Write an answer' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Message deleted').waitFor()
})

scenario(
  'all failed messages of a filter are sent again and all scheduled ones canceled',
  async (fixture) => {
    const { page } = fixture
    const { ann, phone, send } = await furnish(fixture)
    await send(['+491513333333', '+491514444444'], 'Silence')
    for (const task of await phone.claim())
      await phone.report(task, 'failed', {
        error_message: 'Outcome unknown: the device went silent',
      })
    await fixture.signIn()
    await fixture.visit('/messages?state=failed')
    await page.getByText('3 messages', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('One failed message is sent once more.').waitFor()
    await page.getByLabel('Also 2 of unknown outcome').check()
    await page.getByRole('button', { name: 'Send 3 again' }).click()
    await page.getByText('3 messages sent again').waitFor()
    const again = await phone.claim()
    expect(again.map(({ to }) => to).sort()).toEqual([
      '+491511000007',
      '+491513333333',
      '+491514444444',
    ])
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('button', { name: 'Send 1 again' }).click()
    await page.getByText('One message sent again').waitFor()
    expect((await ann.collection('sms_messages').getList(1, 1)).totalItems).toBe(66)

    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
    await send(['+491515555555', '+491516666666'], 'Tomorrow', { scheduled_at })
    await page.getByRole('button', { name: /^Filters/ }).click()
    await page.getByRole('button', { name: 'Scheduled', exact: true }).click()
    await page.getByText('2 messages', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel all' }).click()
    await page.getByText('2 messages that no device has yet will not be sent.').waitFor()
    await page.getByRole('button', { name: 'Cancel 2' }).click()
    await page.getByText('2 messages canceled').waitFor()
    await page.getByText('Nothing found').waitFor()
  },
)

scenario('changes made before the page subscribes are shown', async (fixture) => {
  const { page } = fixture
  const { phone, send } = await furnish(fixture)
  await send(['+491513333333'], 'Quick')
  await fixture.signIn()
  let listen = () => {}
  const heard = new Promise<void>((resolve) => {
    listen = resolve
  })
  await page.route('**/api/realtime', async (route) => {
    if (route.request().method() === 'POST') await heard
    await route.continue()
  })
  await fixture.visit('/messages?filter=body%20%3D%20%22Quick%22')
  await page.getByRole('cell', { name: 'Waiting' }).waitFor()
  const [task] = await phone.claim()
  await phone.report(task!, 'delivered')
  listen()
  await page.getByRole('cell', { name: 'Delivered' }).waitFor()
})

scenario('rows do not move under a pointer: new messages wait', async (fixture) => {
  const { page } = fixture
  const { phone } = await furnish(fixture)
  await fixture.signIn()
  await fixture.visit('/messages')
  const row = page.locator('.messages-table tbody tr').nth(20)
  await row.hover() // on a phone this scrolls the table's beginning out of the window
  const [text, place] = [await row.textContent(), await row.boundingBox()]
  await phone.hear('+491511000003', 'Anybody there?')
  const fresh = page.getByRole('button', { name: '1 new' })
  await fresh.waitFor()
  expect([await row.textContent(), await row.boundingBox()]).toEqual([text, place])
  await fixture.look('messages-waiting')
  await fresh.click()
  await page.locator('.messages-table').getByText('Anybody there?').waitFor()
  await fresh.waitFor({ state: 'detached' })
})
