import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const ZOE = { name: 'Zoë Ähnlich', phone: '+4915112345678' }

/** Something makes the page scroll sideways. */
const IS_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

/** Ann with a phone, two contacts, of whom one is in a group, and a template. */
async function furnish(fixture: BrowserFixture) {
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'desk phone')
  const user = ann.authStore.record!.id
  const group = await ann.collection('contact_groups').create({ user, name: 'Friends' })
  await ann.collection('contacts').create({ ...ZOE, user })
  await ann
    .collection('contacts')
    .create({ user, name: 'Bob', phone: '+4915100000002', groups: [group.id] })
  const body = 'Hi {{name}}, your parcel {{number}} is here.'
  await ann.collection('sms_templates').create({ user, name: 'Parcel', body })
  return { ann, phone }
}

/** As text: the types of tests know no browser. */
async function paste({ page }: BrowserFixture, text: string): Promise<void> {
  await page.getByRole('combobox', { name: 'To' }).focus()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', ${JSON.stringify(text)})
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  }`)
}

scenario('a sent text is shown as delivered without a reload', async (fixture) => {
  const { page } = fixture
  await fixture.signIn()
  await fixture.visit('/send')
  await page.getByRole('link', { name: 'Add a device' }).waitFor()
  await fixture.look('send-no-device')
  const { phone } = await furnish(fixture)
  await page.getByLabel('Text', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Who is it for?').waitFor()
  await page.getByText('Write a text first.').waitFor()
  await fixture.look('send-missing')

  const to = page.getByRole('combobox', { name: 'To' })
  await to.pressSequentially('zo')
  await page.getByRole('option', { name: 'Zoë Ähnlich' }).waitFor()
  await fixture.look('send-options')
  await page.keyboard.press('Enter')
  await paste(fixture, '0049 (151) 123-45678; +49 151 00000003\n0151 4, nonsense')
  await page.getByText('2 numbers cannot be read').waitFor()
  await page.getByText('One was there already').waitFor()
  await page.getByLabel('Text', { exact: true }).fill('Your parcel is here – come soon')
  await page.getByText('– makes it Unicode').waitFor()
  await fixture.look('send-bad-numbers')
  expect(await page.evaluate(IS_WIDE)).toBe(false)
  await page.getByRole('button', { name: 'Plain quotes and dashes' }).click()
  await page.getByText('31 of 160 characters, 1 segment', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove all 2' }).click()
  await page.getByText('2 people, 2 segments').waitFor()
  await page.getByRole('button', { name: 'Send to 2 people' }).click()

  await page.getByRole('heading', { name: 'Sent to 2 people' }).waitFor()
  await page.getByText('2 waiting').or(page.getByText('2 sending')).waitFor()
  const tasks = await phone.claim()
  expect(tasks.map((task) => task.to).sort()).toEqual(['+4915100000003', '+4915112345678'])
  await page.getByText('2 sending').waitFor()
  for (const task of tasks) await phone.report(task, 'sent')
  await page.getByText('2 of 2 done').waitFor()
  await phone.report(tasks[0]!, 'delivered')
  await phone.report(tasks[1]!, 'failed', { error_message: 'No such number' })
  await page.getByText('1 delivered').waitFor()
  await page.getByText('No such number').waitFor()
  await fixture.look('sent')
  await page.getByRole('link', { name: '1 delivered' }).click()
  await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
  await page.getByText('1 message', { exact: true }).waitFor()
})

scenario('a text and a template sent to a group are filled for each member', async (fixture) => {
  const { page } = fixture
  const { ann } = await furnish(fixture)
  await fixture.signIn()
  await fixture.visit('/send')
  await page.getByRole('button', { name: 'Groups' }).click()
  await page.getByText('1 member').waitFor()
  await page.getByLabel('Friends').check()
  await page.keyboard.press('Escape')
  await page.getByLabel('Text', { exact: true }).fill('{{code}} for ')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await page.getByText('{{code}} for Bob', { exact: true }).waitFor()
  await fixture.look('send-variables')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('This has no value yet.').waitFor()
  await page.getByLabel('code', { exact: true }).fill('4711')
  await page.getByText('4711 for Bob', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Sent to Bob' }).waitFor()
  expect(await ann.collection('sms_messages').getFirstListItem('')).toMatchObject({
    body: '4711 for Bob',
  })

  await fixture.visit('/send')
  await page.getByRole('button', { name: 'Groups' }).click()
  await page.getByLabel('Friends').check()
  await page.keyboard.press('Escape')
  await page.getByText('Use a template').click()
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'Parcel' })
  await page.getByText('Hi Bob, your parcel {{number}} is here.', { exact: true }).waitFor()
  await page.getByLabel('number', { exact: true }).fill('4711')
  await page.getByText('Hi Bob, your parcel 4711 is here.').waitFor()
  await page.getByText('Later', { exact: true }).click()
  await page.getByText('More: line').click()
  await page.getByLabel('Line', { exact: true }).selectOption({ label: 'desk phone (online)' })
  await page.getByLabel('Expires').selectOption({ label: 'After an hour' })
  await fixture.look('send-template')

  await page.getByLabel('Send at').fill('2020-01-01T10:00')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('This time is past.').waitFor()
  const at = new Date(Date.now() + 86_400_000)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  await page.getByLabel('Send at').fill(local)
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByRole('heading', { name: /^Scheduled for .* to Bob$/ }).waitFor()
  const message = await ann
    .collection('sms_messages')
    .getFirstListItem('status = "pending" && scheduled_at != ""')
  expect(message).toMatchObject({ body: 'Hi Bob, your parcel 4711 is here.' })
  expect(new Date(message.scheduled_at).getTime()).toBe(Math.floor(at.getTime() / 60_000) * 60_000)
  expect(new Date(message.expires_at).getTime() - new Date(message.scheduled_at).getTime()).toBe(
    3_600_000,
  )
})

scenario('refusals are shown at the field that caused them', async (fixture) => {
  const { page } = fixture
  const { ann } = await furnish(fixture)
  const root = await fixture.root()
  await root.collection('users').update(ann.authStore.record!.id, { monthly_quota: 1 })
  await fixture.signIn()
  await fixture.visit('/send?to=%2B4915100000003,%2B4915100000004&text=Twice')
  await page.getByText('Only 1 of 1 messages').waitFor()
  await fixture.refused(/^POST \/api\/sms\/send: 402/, async () => {
    await page.getByRole('button', { name: 'Send to 2 people' }).click()
    await page.getByText('This is more than what is left').waitFor()
  })
  await fixture.look('send-quota')
  await root.collection('users').update(ann.authStore.record!.id, { monthly_quota: 0 })
  const device = await ann.collection('devices').getFirstListItem('')
  await ann.collection('devices').update(device.id, { enabled: false })
  await fixture.refused(/^POST \/api\/sms\/send: 503/, async () => {
    await page.getByRole('button', { name: 'Send to 2 people' }).click()
    await page.getByText('No device can send now').waitFor()
  })
  await fixture.look('send-no-devices')
})

scenario('the rest of a send is canceled and its failed texts sent again', async (fixture) => {
  const { page } = fixture
  const { ann, phone } = await furnish(fixture)
  const recipients = Array.from({ length: 5 }, (_, i) => `+49151000000${i + 10}`)
  const { batch_id } = await ann.send('/api/sms/send', {
    method: 'POST',
    body: { recipients, body: 'Sale' },
  })
  await fixture.signIn()
  await fixture.visit(`/send?batch=${batch_id}`)
  const tasks = await phone.claim(3)
  await page.getByText('3 sending').waitFor()
  await page.getByRole('button', { name: 'Cancel the 2 not sent yet' }).click()
  await page.getByText('Texts that a device has already are sent all the same.').waitFor()
  await page.getByRole('button', { name: 'Cancel them' }).click()
  await page.getByText('2 messages canceled').waitFor()
  await page.getByText('2 canceled').waitFor()
  await phone.report(tasks[0]!, 'sent')
  await phone.report(tasks[1]!, 'failed', { error_message: 'No signal' })
  await phone.report(tasks[2]!, 'failed', { error_message: 'No signal' })
  await page.getByText('2 failed').waitFor()
  await page.getByText('3 of 5 done').waitFor()
  await fixture.look('sent-failed')
  await page.getByRole('button', { name: 'Send failed ones again' }).click()
  await page.getByText('2 failed messages are sent once more.').waitFor()
  await page.getByLabel('Also 2 that were canceled').waitFor()
  await fixture.look('sent-again-dialog')
  await page.getByRole('button', { name: 'Send 2 again' }).click()
  await page.getByText('2 sent again').waitFor()
  await page.getByText('0 of 2 done').waitFor()
  expect((await phone.claim()).map(({ to }) => to)).toEqual([tasks[1]!.to, tasks[2]!.to])
  await page.getByText('2 sending').waitFor()
  await fixture.visit(`/send?batch=${batch_id}`)
  await page.getByRole('link', { name: 'See the result' }).waitFor()
  await fixture.look('sent-retried')
  await page.getByRole('link', { name: 'See the result' }).click()
  await page.getByText('0 of 2 done').waitFor()
})

scenario(
  'a gap in the text is warned of before it is sent, and the campaign has its name',
  async (fixture) => {
    const { page } = fixture
    const { ann } = await furnish(fixture)
    await fixture.signIn()
    await fixture.visit('/campaigns')
    await page.getByRole('link', { name: 'Write to groups' }).click()
    await page.getByRole('heading', { name: 'New campaign' }).waitFor()
    await page.locator('.tabs [aria-current="page"]').getByText('Campaigns').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Autumn')
    await paste(fixture, `${ZOE.phone}; +4915100000009`)
    await page.getByLabel('Text', { exact: true }).fill('Hello {{name}}, we are open.')
    await page.getByText('Some of them have no name').waitFor()
    await page.getByText('about 24 of 160 characters, 1 segment', { exact: true }).waitFor()
    await fixture.look('send-gap')
    await page.getByRole('button', { name: 'Write {{name|there}} instead' }).click()
    await page.getByText('Some of them have no name').waitFor({ state: 'detached' })
    await page.getByText('Hello there, we are open.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send to 2 people' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 2 people' }).click()
    await page.getByRole('heading', { name: 'Autumn' }).waitFor()
    expect(await ann.collection('campaigns').getFullList()).toMatchObject([{ name: 'Autumn' }])
  },
)
