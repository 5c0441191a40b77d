import { openBrowser } from './support/browser.ts'
import { chooseAction, fillSignIn, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const HOUR_MS = 3_600_000
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+49151${2_000_000 + i}`)
const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString()

scenario('a text to 25 people is confirmed, scheduled, paused and resumed', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'desk phone')
  await fixture.signIn()
  await fixture.visit('/campaigns')
  await page.getByText('No campaigns yet').waitFor()
  await fixture.look('none')

  // the confirmation; Enter once more does not send
  await fixture.visit(`/send?to=${encodeURIComponent(numbers(25).join(','))}`)
  await page.getByRole('textbox', { name: 'Text' }).fill('The sale begins on Monday')
  await page.getByRole('button', { name: 'Send to 25 people' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'Send to 25 people?' }).waitFor()
  // people, and what their texts take
  expect(await dialog.locator('strong').allTextContents()).toEqual([
    '25 people',
    expect.stringMatching(/^25 /),
  ])
  await dialog.getByText('The sale begins on Monday').waitFor()
  expect(await page.locator(':focus').textContent()).toBe('Not yet')
  await dialog.getByRole('button', { name: 'Not yet' }).click()
  expect((await ann.collection('campaigns').getList()).totalItems).toBe(0)

  // later
  await page.getByText('Later', { exact: true }).click()
  await page.getByRole('button', { name: 'Schedule for 25 people' }).click()
  await dialog.getByRole('button', { name: 'Schedule for 25 people' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await page.getByText('25 scheduled').waitFor()
  await fixture.look('scheduled')

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('Monday')
  await dialog.getByLabel('Text').fill('The sale in {{city|town}} begins on Tuesday')
  // the default of the text: contacts keep their own value
  expect(await dialog.getByLabel('city', { exact: true }).inputValue()).toBe('town')
  await dialog.getByLabel('city', { exact: true }).fill('New York')
  const typed = dialog.getByLabel('Numbers', { exact: true })
  const all = await typed.inputValue()
  await typed.fill(`${all}\n0151 2000`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('“0151 2000” – Germany has no such number').waitFor()
  await typed.fill(`${all}\n0151 200 000 10`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Monday' }).waitFor()
  await page
    .locator('.as-written')
    .getByText('The sale in {{city|New York}} begins on Tuesday')
    .waitFor()
  const [changed] = await ann.collection('campaigns').getFullList()
  expect(changed!.variables ?? {}).toEqual({})

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  await page.getByText('26 paused').waitFor()
  await fixture.look('paused')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()

  // now: it goes out, and the page shows how far it is
  const [campaign] = (
    await ann.collection('campaigns').getList(1, 1, { filter: 'status = "scheduled"' })
  ).items
  await ann.send(`/api/campaigns/${campaign!.id}`, { method: 'PATCH', body: { hold_seconds: 0 } })
  await expect
    .poll(async () => (await phone.claim()).map((task) => task.body), { timeout: 30_000 })
    .toContain('The sale in New York begins on Tuesday')
  await page.getByText('Sending', { exact: true }).first().waitFor()

  // the question has one way to cancel
  await chooseAction(fixture, 'Cancel the campaign')
  await expect.poll(() => dialog.getByRole('button', { name: /^Cancel/ }).count()).toBe(1)
  await expect.poll(() => page.locator(':focus').textContent()).toBe('Keep it')
  await dialog.getByRole('button', { name: 'Cancel the campaign' }).click()
  await page.getByText('Campaign canceled').waitFor()
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await fixture.visit('/campaigns')
  await page.getByRole('link', { name: 'Monday', exact: true }).waitFor()
})

scenario('a campaign that waits for room is paused, resumed and canceled', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'desk phone')
  const [line] = await ann.collection('lines').getFullList()
  await ann.collection('lines').update(line!.id, { daily_limit: 5 })
  // it has room, but sends no real texts
  const toy = await pairPhone(url, ann, 'toy', [], 'simulator')
  const body = { recipients: numbers(25), body: 'Sale', hold_seconds: 0 }
  const { id } = await ann.send('/api/campaigns', { method: 'POST', body })
  await fixture.signIn()
  await fixture.visit(`/campaigns/${id}`)
  await page.getByText('25 waiting').waitFor()
  await page
    .locator('dl div')
    .filter({ hasText: 'Texts wait for' })
    .getByText('desk phone')
    .waitFor()
  await page.getByText('20 texts wait until a line has room.').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('25 paused').waitFor()
  expect(await Promise.all([phone.claim(), toy.claim()])).toEqual([[], []])
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('25 waiting').waitFor()
  const [rejected, ended] = await phone.claim(2)
  await page.getByText('2 sending').waitFor()
  await chooseAction(fixture, 'Cancel the campaign')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the campaign' }).click()
  await page.getByText('23 canceled').waitFor()
  // one real failure, and one that the phone called off
  await phone.report(rejected!, 'failed', { error_message: 'No network' })
  await phone.report(ended!, 'failed', { error_message: 'Canceled on the phone' })
  expect(await Promise.all([phone.claim(), toy.claim()])).toEqual([[], []])
  await page.getByText('24 canceled').waitFor()
  await page.getByText('1 failed').waitFor()
  await page.getByText('1 of 25 done').waitFor()
  // replies are people
  for (const text of ['Who is this?', 'Hello?']) await phone.hear(rejected!.to, text)
  await page.locator('.campaign-replies').getByText('Hello?').waitFor()
  expect(await page.locator('.figures dd').first().textContent()).toBe('1')
  await fixture.look('campaign-canceled')
  await page.getByRole('link', { name: '24 canceled' }).click()
  await page.getByText('24 messages', { exact: true }).waitFor()

  // canceled is no failure anywhere
  const { batch_id } = await ann
    .collection('sms_messages')
    .getFirstListItem('message_type = "outgoing"')
  await fixture.visit(`/send?batch=${batch_id}`)
  await page.getByText('24 canceled').waitFor()
  await page.getByText('1 failed').waitFor()
  await fixture.visit('/messages?state=failed')
  await page.getByText('1 message', { exact: true }).waitFor()
  await page.getByRole('button', { name: /^Filters/ }).click()
  await page.getByRole('button', { name: 'Canceled', exact: true }).click()
  await page.getByText('24 messages', { exact: true }).waitFor()
  await fixture.look('messages-canceled')
  await fixture.visit('/usage')
  const sums = () => page.locator('.usage-sums li').allTextContents()
  await expect
    .poll(sums)
    .toEqual(['0 Sent', '0 Scheduled or waiting', '1 Failed', '24 Canceled', '2 Received'])
  await fixture.visit(`/conversations/${encodeURIComponent(ended!.to)}`)
  await page.getByLabel('Texts').getByText('Canceled', { exact: true }).waitFor()
  const root = await openBrowser(url, fixture.screen)
  try {
    await fixture.root()
    await fillSignIn(root, url, 'root', fixture.say)
    await root.page.goto(`${url}/#/health`)
    const tile = root.page.locator('.tile').filter({ hasText: 'Failed today' })
    await expect.poll(() => tile.textContent()).toBe('Failed today1')
    expect(root.faults).toEqual([])
  } finally {
    await root.close()
  }
})

scenario('a campaign offers its failed texts for one retry', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'desk phone')
  const body = { recipients: numbers(3), body: 'Sale', hold_seconds: 0 }
  const { id } = await ann.send('/api/campaigns', { method: 'POST', body })
  const finish = async (count: number) => {
    for (let left = count; left > 0; )
      for (const task of await phone.claim()) {
        left--
        const isWrong = task.to !== numbers(1)[0]
        await phone.report(
          task,
          isWrong ? 'failed' : 'sent',
          isWrong ? { error_message: 'No network' } : {},
        )
      }
  }
  await finish(3)
  await fixture.signIn()
  await fixture.visit(`/campaigns/${id}`)
  const again = page.getByRole('button', { name: 'Send failed ones again' })
  const dialog = page.getByRole('dialog')
  await again.click()
  await dialog.getByText('2 failed messages are sent once more.').waitFor()
  await dialog.getByRole('button', { name: 'Send 2 again' }).click()
  await page.getByText('2 texts sent again').waitFor()
  // all that failed is on its way again
  await again.waitFor({ state: 'detached' })
  await finish(2)
  await again.click()
  await dialog.getByText('2 failed messages are sent once more.').waitFor()
  await fixture.look('campaign-again')
})

scenario('a scheduled send shows its date even if a recipient has opted out', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  await pairPhone(fixture.url, ann, 'desk phone')
  const recipients = numbers(3)
  const body = { recipients, body: 'Sale', scheduled_at: inAnHour() }
  const { batch_id } = await ann.send('/api/sms/send', { method: 'POST', body })
  await fixture.signIn()
  await fixture.visit(`/send?batch=${batch_id}`)
  await page.getByRole('heading', { name: /^Scheduled for .*\d.* to 3 people$/ }).waitFor()
  const [first] = (
    await ann.collection('sms_messages').getList(1, 1, { filter: `to = "${recipients[0]}"` })
  ).items
  await ann.send(`/api/sms/messages/${first!.id}/cancel`, { method: 'POST' })
  await page.getByRole('heading', { name: /^Scheduled for .* to 2 people$/ }).waitFor()
  await page.getByRole('button', { name: 'Cancel the 2 not sent yet' }).click()
  const cancels = page.getByRole('dialog').getByRole('button', { name: /^Cancel/ })
  await expect.poll(() => cancels.count()).toBe(1)
  await page.getByRole('button', { name: 'Keep them' }).click()
})

scenario(
  'a repeating text previews its next times, lists its runs and can be changed',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    await pairPhone(url, ann, 'desk phone')
    await fixture.signIn()
    await fixture.visit(`/send?to=${encodeURIComponent('+491512000000')}`)
    await page.getByRole('textbox', { name: 'Text' }).fill('The menu is out')
    await page.getByLabel('How often').selectOption({ label: 'Every day' })
    await page.getByText(/^Next: (.* · ){4}/).waitFor()
    await page.getByLabel('At', { exact: true }).fill('10:30')
    await page.getByText(/10:30/).first().waitFor()
    await page.getByLabel('How often').selectOption({ label: 'By a cron expression' })
    const cron = page.getByLabel('Minute, hour, day')
    expect(await cron.inputValue()).toBe('30 10 * * *')
    await fixture.refused(/times: 400$/, async () => {
      await cron.fill('*/4 * * * *')
      await page.getByText('Leave at least 5 minutes between two times.').waitFor()
    })
    await cron.fill('30 10 31 * *')
    const short = 'February, April, June, September, and November'
    await page.getByText(`Left out, because the month is too short: ${short}`).waitFor()
    await cron.fill('30 10 * * 1-5')
    await page.getByText(/^Next: /).waitFor()
    await fixture.look('form')
    await page.getByRole('button', { name: 'Start repeating' }).click()
    await page.getByRole('dialog').getByText('The menu is out').waitFor()
    await page.getByRole('dialog').locator('button.primary').click()
    await page.getByText('Not sent yet.').waitFor()
    await fixture.look('page')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page
      .getByRole('dialog')
      .getByLabel('How often')
      .selectOption({ label: 'On the last day of each month' })
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Campaign changed').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await fixture.visit('/campaigns')
    await page.getByText('Repeats: On the last day of each month, 10:30. Next:').waitFor()
    await fixture.look('list')
    const { id } = await ann.send('/api/campaigns', {
      method: 'POST',
      body: {
        recipients: ['+491512000000'],
        body: 'The winter menu is out',
        scheduled_at: new Date(Date.now() + 30 * 86_400_000),
        repeat: { cron: '30 10 * * *', time_zone: 'UTC' },
      },
    })
    await fixture.visit(`/campaigns/${id}`)
    const begin = await page
      .locator('dt', { hasText: /^Time$/ })
      .locator('+ dd')
      .innerText()
    // the planned time names its zone
    await page.getByText(`Next: ${begin.replace(/ UTC$/, '')} · `).waitFor()
  },
)

scenario(
  'a campaign names the members of its groups who opted out',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    await pairPhone(fixture.url, ann, 'desk phone')
    const user = ann.authStore.record!.id
    const { id } = await ann.collection('contact_groups').create({ user, name: 'Regulars' })
    const [one, two] = numbers(2)
    const contacts = ann.collection('contacts')
    await contacts.create({ user, name: 'Ben', phone: one, groups: [id] })
    await contacts.create({ user, name: 'Anna', phone: two, groups: [id], opted_out: true })
    await fixture.signIn()
    await fixture.visit(`/send?new=campaign&group=${id}`)
    await page.getByLabel('Name', { exact: true }).fill('Rye')
    await page.getByLabel('Text', { exact: true }).fill('Fresh rye today')
    await page.getByText('Later', { exact: true }).click()
    await page.getByRole('button', { name: 'Schedule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 member opted out and gets nothing: Anna').waitFor()
    await fixture.look('opted-out-confirm')
    await dialog.getByRole('button', { name: 'Schedule for 1 person' }).click()
    await page.getByRole('heading', { name: 'Rye' }).waitFor()
    await page.getByText('1 member opted out and gets nothing: Anna').waitFor()
    await fixture.look('opted-out')
  },
  {},
  { widths: [390] },
)

scenario('a campaign by simulated phones says what would have been delivered', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const toy = await pairPhone(url, ann, 'toy', [], 'simulator')
  const body = { recipients: numbers(2), body: 'Sale', hold_seconds: 0 }
  const { id } = await ann.send('/api/campaigns', { method: 'POST', body })
  for (let left = 2; left > 0; )
    for (const task of await toy.claim()) {
      left--
      await toy.report(task, 'delivered')
    }
  await fixture.signIn()
  await fixture.visit(`/campaigns/${id}`)
  await page.getByText('2 would have been delivered').waitFor()
})
