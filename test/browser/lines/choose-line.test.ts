import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'
import { makeTeam, signInAsBen } from '../support/team.ts'

const SIMS = [
  { slot: 1, number: '+4915120000010' },
  { slot: 2, number: '+436641234567' },
]
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+49151100000${10 + i}`)

scenario('a text leaves by the chosen line and can wait for quiet hours', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  await pairPhone(url, ann, 'Desk', SIMS)
  const [line] = await ann.collection('lines').getFullList({ filter: 'slot = 2' })
  await ann.collection('lines').update(line!.id, { label: 'Austria' })
  const [settings] = await ann.collection('user_settings').getFullList()
  // always, but for one minute of a day: whatever the time is
  await ann
    .collection('user_settings')
    .update(settings!.id, { quiet_from: '00:01', quiet_to: '00:00' })
  await fixture.signIn()
  await fixture.visit(`/send?to=${numbers(1)}&text=Hello`)
  await page.getByText('More: line').click()
  await page.getByLabel('Line', { exact: true }).selectOption({ label: 'Desk · Austria (online)' })
  const quiet = page.getByLabel('Wait during quiet hours')
  expect(await quiet.isChecked()).toBe(false)
  await fixture.look('send-line')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: /^Sent to/ }).waitFor()
  expect(await ann.collection('sms_messages').getFullList()).toMatchObject([
    { line: line!.id, from: '+436641234567', waiting_for: '' },
  ])

  await fixture.visit(`/send?to=${numbers(2)}&text=Quiet`)
  await quiet.check()
  await page.getByRole('button', { name: 'Send to 2 people' }).click()
  await page.getByRole('heading', { name: /^Sent to|^Scheduled for/ }).waitFor()
  const waiting = await ann.collection('sms_messages').getFullList({ filter: 'body = "Quiet"' })
  expect(waiting.map((message) => message.waiting_for)).toEqual(['quiet_hours', 'quiet_hours'])
})

scenario('a simulated phone is marked and sends only texts that name it', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const toy = await pairPhone(url, ann, 'Toy', [], 'simulator')
  const send = async () => {
    await page.getByRole('button', { name: /^Send( to 3 people)?$/ }).click()
    await page.getByRole('heading', { name: /^Sent to/ }).waitFor()
  }
  await fixture.signIn()
  await fixture.visit(`/send?to=${numbers(1)}&text=Hello`)
  await page.getByText('Your devices are all simulated: nobody gets these texts.').waitFor()
  await fixture.look('send-simulated')

  const phone = await pairPhone(url, ann, 'Desk')
  await page.getByText('Your devices are all simulated').waitFor({ state: 'detached' })
  await fixture.visit(`/send?to=${numbers(3)}&text=Sale`)
  await send()
  expect((await phone.claim()).map(({ body }) => body)).toEqual(['Sale', 'Sale', 'Sale'])

  await fixture.visit(`/send?to=${numbers(1)}&text=Named`)
  await page.getByText('More: line').click()
  await page.getByLabel('Line', { exact: true }).selectOption({ label: 'Toy (simulated) (online)' })
  await send()
  expect((await toy.claim()).map(({ body }) => body)).toEqual(['Named'])
  await fixture.visit('/messages')
  await page.getByRole('cell', { name: 'Toy', exact: true }).first().waitFor()
  await fixture.visit('/devices')
  await page.getByRole('link', { name: 'Toy Simulated', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Desk', exact: true }).waitFor()
})

scenario(
  'a large send shows when its last text leaves and respects quiet hours',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    await pairPhone(url, ann, 'Desk', SIMS)
    const [line] = await ann.collection('lines').getFullList({ filter: 'slot = 2' })
    await ann.collection('lines').update(line!.id, { daily_limit: 10 })
    const [settings] = await ann.collection('user_settings').getFullList()
    await ann
      .collection('user_settings')
      .update(settings!.id, { quiet_from: '22:00', quiet_to: '08:00' })
    await fixture.signIn()
    await fixture.visit(`/send?to=${numbers(25)}&text=Hello`)
    await page.getByText('25 people, 25 segments').waitFor()
    expect(await page.getByText('The last one is sent about').count()).toBe(0)
    await page.getByText('More: line').click()
    await page.getByLabel('Line', { exact: true }).selectOption(line!.id)
    await page.getByText('The last one is sent about').waitFor()
    const quiet = page.getByLabel('Wait during quiet hours')
    await expect.poll(() => quiet.isChecked()).toBe(true)
    await fixture.look('send-over-days')
    await page.getByRole('button', { name: 'Send to 25 people' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The last one is sent about').waitFor()
    await fixture.look('send-over-days-sure')
    await dialog.getByRole('button', { name: 'Not yet' }).click()
    await quiet.uncheck()
    await page.getByRole('button', { name: 'Send to 25 people' }).click()
    await dialog.getByRole('button', { name: 'Send to 25 people' }).click()
    await page.getByText('Ignored').waitFor()
    await page.getByText('Desk · +43 664 1234567').waitFor()
    const campaigns = await ann.collection('campaigns').getFullList()
    expect(campaigns).toMatchObject([{ quiet_hours: false, line: line!.id }])
  },
)

scenario('an agent, who cannot add a phone, is not offered to add a real one', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  await makeTeam(fixture, true)
  for (const { id } of await ann.collection('devices').getFullList())
    await ann.collection('devices').delete(id)
  await pairPhone(url, ann, 'Toy', [], 'simulator')
  await signInAsBen(fixture, url)
  await page.getByText('Texts that come in on your devices').waitFor()
  await fixture.visit('/send')
  const notice = page.getByText('Your devices are all simulated: nobody gets these texts.')
  await notice.waitFor()
  expect(await notice.getByRole('link').count()).toBe(0)
})
