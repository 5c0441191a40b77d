import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const SIMS = [
  { slot: 1, number: '+4915120000010' },
  { slot: 2, number: '+436641234567' },
]
const ZOE = '+4915112345678'

scenario('messages show the SIM that sent them and why they wait', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  await pairPhone(url, ann, 'Desk', SIMS)
  const [line] = await ann.collection('lines').getFullList({ filter: 'slot = 2' })
  await ann.collection('lines').update(line!.id, { label: 'Austria', daily_limit: 1 })
  const send = (body: string) =>
    ann.send('/api/sms/send', {
      method: 'POST',
      body: { recipients: [ZOE], body, line_id: line!.id },
    })
  await send('The first one')
  await send('The second one')
  await fixture.signIn()
  await fixture.visit('/messages?filter=line.label%20%3D%20%22Austria%22')
  await page.getByText('Desk · Austria').first().waitFor()
  // a text that nobody has given a time is not scheduled, though its status is pending
  await fixture.visit('/messages?state=scheduled')
  await page.getByText('Nothing found').waitFor()
  await fixture.visit('/messages?state=waiting')
  await page.getByText('Waiting for room').filter({ visible: true }).first().waitFor()
  await fixture.visit('/messages')
  await page.getByText('Waiting for room').filter({ visible: true }).first().waitFor()
  await fixture.look('messages-lines')

  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('dialog').getByLabel('Line').check()
  const download = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
  const stream = await (await download).createReadStream()
  const csv = Buffer.concat(await stream.toArray()).toString()
  expect(csv.match(/Austria/g)).toHaveLength(1)
  await page.keyboard.press('Escape')

  await page
    .getByRole('link', { name: /1511\s2345678/ })
    .first()
    .click()
  await page.getByText('Waiting for room').first().waitFor()
  await fixture.look('message-waits')
  await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
  await page.getByText('by Austria').waitFor()
  await page.getByRole('article').getByText('Waiting for room').waitFor()
  await fixture.look('thread-lines')
})
