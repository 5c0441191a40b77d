import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()
/** As the browser's field has it: these tests and the browser are in one time zone. */
const local = (iso: string) => {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
const msOf = (text: string) => Date.parse(text.replace(' ', 'T'))

scenario(
  'a scheduled message gets a new text and time, and is then sent at once',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(fixture.url, ann, 'desk phone')
    const [soon, late] = [inHours(2), inHours(30)]
    const body = {
      recipients: ['+491512222222'],
      body: 'See you at eight',
      scheduled_at: soon,
      ttl: 3600,
    }
    const { message_ids } = await ann.send('/api/sms/send', { method: 'POST', body })
    const read = () => ann.collection('sms_messages').getOne(message_ids[0])
    await fixture.signIn()
    await fixture.visit(`/messages/${message_ids[0]}`)
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Send at').inputValue()).toBe(local(soon))
    expect(await dialog.getByLabel('Text').inputValue()).toBe('See you at eight')

    await dialog.getByLabel('Text').fill('')
    await dialog.getByLabel('Send at').fill(local(inHours(-1)))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Write a text first.').waitFor()
    await dialog.getByText('This time is past.').waitFor()
    await fixture.look('change-wrong')

    // a text alone leaves the time as it is, to the second
    const before = await read()
    await dialog.getByLabel('Text').fill('See you at nine')
    await dialog.getByLabel('Send at').fill(local(soon))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Message changed').waitFor()
    await page.locator('.message-text').getByText('See you at nine').waitFor()
    expect(await read()).toMatchObject({
      body: 'See you at nine',
      scheduled_at: before.scheduled_at,
      expires_at: before.expires_at,
    })

    // another time: its end goes with it
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await dialog.getByLabel('Send at').fill(local(late))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { scheduled_at, expires_at } = await read()
    expect(local(new Date(msOf(scheduled_at)).toISOString())).toBe(local(late))
    expect(msOf(expires_at) - msOf(scheduled_at)).toBe(HOUR_MS)
    await page.getByText('Changed', { exact: true }).nth(1).waitFor()
    await page.getByText('Waits for its time').waitFor()
    await fixture.look('changed')

    // an end that is further away than a ttl can tell
    await ann.send(`/api/sms/messages/${message_ids[0]}`, {
      method: 'PATCH',
      body: { expires_at: '2199-01-01' },
    })
    await page.reload()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await dialog.getByLabel('Send at').fill(local(inHours(40)))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await dialog.getByText('Now', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Send now' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect
      .poll(async () => (await phone.claim()).map((task) => task.body), { timeout: 30_000 })
      .toEqual(['See you at nine'])
    await page.getByText('desk phone has it').waitFor()
    expect(await page.getByRole('button', { name: 'Change', exact: true }).count()).toBe(0)
  },
)

scenario(
  'a message that was canceled in the meantime cannot be changed, and the dialog says so',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const body = { recipients: ['+491512222222'], body: 'Soon', scheduled_at: inHours(2) }
    const { message_ids } = await ann.send('/api/sms/send', { method: 'POST', body })
    await fixture.signIn()
    await fixture.visit(`/messages/${message_ids[0]}`)
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await ann.send(`/api/sms/messages/${message_ids[0]}/cancel`, { method: 'POST' })
    await page.locator('.notice').getByText('Canceled').waitFor()
    await page.getByLabel('Text', { exact: true }).fill('Later')
    await fixture.refused(/^PATCH \/api\/sms\/messages\/\w+: 409/, async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByText('It is too late to change it').waitFor()
    })
    await fixture.look('change-too-late')
  },
)

scenario('a scheduled send is rescheduled', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  await pairPhone(fixture.url, ann, 'desk phone')
  const recipients = ['+491513333331', '+491513333332', '+491513333333']
  const body = { recipients, body: 'Sale', scheduled_at: inHours(2) }
  const { batch_id, message_ids } = await ann.send('/api/sms/send', { method: 'POST', body })
  await ann.send(`/api/sms/messages/${message_ids[0]}/cancel`, { method: 'POST' })
  await fixture.signIn()
  await fixture.visit(`/send?batch=${batch_id}`)
  await page.getByRole('button', { name: 'Change the time' }).click()
  const later = inHours(50)
  await page.getByLabel('Send at').fill(local(later))
  expect(await page.getByRole('dialog').getByLabel('Text').count()).toBe(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 messages have another time').waitFor()
  const { items } = await ann
    .collection('sms_messages')
    .getList(1, 9, { filter: `batch_id = "${batch_id}"` })
  const times = items
    .filter(({ status }) => status === 'pending')
    .map(({ scheduled_at }) => scheduled_at)
  expect(times.map((at) => local(new Date(msOf(at)).toISOString()))).toEqual([
    local(later),
    local(later),
  ])
  await fixture.look('rescheduled')
})
