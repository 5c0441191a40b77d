import type PocketBase from 'pocketbase'
import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

/** More people than a send may have without a campaign. */
const MANY = Array.from({ length: 25 }, (_, i) => `+49151${2_000_000 + i}`)

async function withPhone({ ann: makeAnn, url }: BrowserFixture): Promise<PocketBase> {
  const ann = await makeAnn()
  await pairPhone(url, ann, 'desk phone')
  return ann
}

const countMessages = async (ann: PocketBase) =>
  (await ann.collection('sms_messages').getList(1, 1)).totalItems

scenario('a text whose answer was lost is sent once', async (fixture) => {
  const { page } = fixture
  const ann = await withPhone(fixture)
  await fixture.signIn()
  const broken = { status: 500, json: { message: 'Something went wrong.' } }
  await page.route('**/devices/records?*', (route) => route.fulfill(broken))
  await fixture.refused(/: 500$/, async () => {
    await fixture.visit('/send?to=%2B4915100000003&text=Once')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
  })
  await page.unroute('**/devices/records?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.route(
    '**/api/sms/send',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('There was no answer.').waitFor()
  await fixture.look('send-no-answer')
  expect(await countMessages(ann)).toBe(1)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Sent to +49 1510 0000003' }).waitFor()
  expect(await countMessages(ann)).toBe(1)
})

scenario('a text is sent once if the page is reloaded before its answer', async (fixture) => {
  const { page } = fixture
  const ann = await withPhone(fixture)
  await fixture.signIn()
  await fixture.visit('/send?to=%2B4915100000003')
  const text = page.getByLabel('Text', { exact: true })
  const send = page.getByRole('button', { name: 'Send', exact: true })
  let reload = () => {}
  const isStored = new Promise<void>((resolve) => {
    reload = resolve
  })
  await page.route(
    '**/api/sms/send',
    async (route) => {
      await route.fetch()
      reload() // the page never gets the answer
    },
    { times: 1 },
  )
  await text.fill('Once')
  await send.click()
  await isStored
  await page.reload()
  await expect.poll(() => text.inputValue()).toBe('Once')
  await send.click()
  await page.getByRole('heading', { name: 'Sent to +49 1510 0000003' }).waitFor()
  expect(await countMessages(ann)).toBe(1)
  // the same text to the same number is sent again on purpose
  await fixture.visit('/send?to=%2B4915100000003&text=Once')
  await send.click()
  await page.getByRole('heading', { name: 'Sent to +49 1510 0000003' }).waitFor()
  expect(await countMessages(ann)).toBe(2)
  // the reload may close the stream of a subscription that is on its way
  const { faults } = fixture
  faults.splice(0, faults.length, ...faults.filter((fault) => fault !== 'POST /api/realtime: 404'))
})

scenario(
  'a campaign that gives up after an hour begins once if its answer was lost',
  async (fixture) => {
    const { page } = fixture
    const ann = await withPhone(fixture)
    await fixture.signIn()
    await fixture.visit(`/send?to=${encodeURIComponent(MANY.join(','))}&text=Sale`)
    await page.getByText('More: line').click()
    await page.getByLabel('Expires').selectOption({ label: 'After an hour' })
    await page.route(
      '**/api/campaigns',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    const send = page.getByRole('button', { name: 'Send to 25 people' })
    const agree = page.getByRole('dialog').getByRole('button', { name: 'Send to 25 people' })
    await send.click()
    await agree.click()
    await page.getByText('There was no answer.').waitFor()
    await send.click()
    await agree.click()
    await page.waitForURL(/#\/campaigns\/\w+$/)
    expect((await ann.collection('campaigns').getList(1, 1)).totalItems).toBe(1)
  },
)
