import { expect } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { fillSignIn, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'
import { startProxy } from '../support/proxy.ts'

const ZOE = '+4915112345678'

scenario(
  'a line that goes silent is noticed, and nothing is lost or sent twice',
  async (fixture) => {
    const { url, screen, say } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(url, ann, 'Desk phone')
    await phone.hear(ZOE, 'Hello')
    const proxy = await startProxy(url)
    const far = await openBrowser(proxy.url, screen)
    const { page } = far
    try {
      await fillSignIn(far, proxy.url, 'ann', say)
      await page.goto(`${proxy.url}/#/conversations/${encodeURIComponent(ZOE)}`)
      const log = page.getByRole('log')
      await log.getByText('Hello').waitFor()
      await page.getByLabel('Answer from Desk phone').waitFor()
      const bar = page.getByText('No connection.')
      const write = async (text: string) => {
        await page.getByLabel('Answer from Desk phone').fill(text)
        await page.getByRole('button', { name: 'Send', exact: true }).click()
      }
      const sent = async () =>
        (
          await ann
            .collection('sms_messages')
            .getFullList({ filter: 'message_type = "outgoing"', sort: 'created' })
        ).map(({ body }) => body)

      const kept = () => page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('outbox'))`)

      // it is told within 10 s; what is sent is kept, and what was missed is read
      proxy.mode = 'silent'
      await bar.waitFor({ timeout: 10_000 })
      await write('Kept')
      await log.getByText('Not sent yet').waitFor()
      await far.look('line-offline')
      await phone.hear(ZOE, 'Missed')
      expect(await sent()).toEqual([])
      proxy.mode = 'pass'
      await log.getByText('Missed').waitFor()
      await bar.waitFor({ state: 'hidden' })
      await expect.poll(sent).toEqual(['Kept'])

      // a text whose answer is lost goes once, though the page is closed meanwhile
      proxy.mode = 'deaf'
      await write('Once')
      await expect.poll(sent).toEqual(['Kept', 'Once'])
      await bar.waitFor({ timeout: 10_000 })
      proxy.mode = 'pass'
      proxy.reset()
      await page.reload()
      await log.getByText('Once').waitFor()
      await expect.poll(kept).toEqual([])
      expect(await sent()).toEqual(['Kept', 'Once'])

      // a slow line sends once, too
      proxy.mode = 'slow'
      await write('Slowly')
      await expect.poll(sent).toEqual(['Kept', 'Once', 'Slowly'])
      proxy.mode = 'pass'
      await expect.poll(kept).toEqual([])
      expect(await sent()).toEqual(['Kept', 'Once', 'Slowly'])

      // a stream alone that hears nothing is opened anew
      proxy.silencePresent()
      await phone.hear(ZOE, 'After 30 s')
      await log.getByText('After 30 s').waitFor({ timeout: 50_000 })
    } finally {
      await far.close()
      proxy.stop()
    }
    expect(far.faults).toEqual([])
  },
  {},
  { ms: 240_000 },
)
