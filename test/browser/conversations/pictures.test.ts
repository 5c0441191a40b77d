import { mms, mmsPoster } from '../../support/smsgate/mms.ts'
import { makePhone } from '../../support/smsgate/smsgate-fixture.ts'
import { scenario } from '../support/browser-fixture.ts'

/** The longer side of a picture, once the browser has decoded it. */
const sizeOf = (img: unknown) => {
  const { naturalWidth, naturalHeight } = img as Record<string, number>
  return Math.max(naturalWidth!, naturalHeight!)
}
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "hostile"</script></svg>'

scenario(
  'MMS pictures are shown and enlarged, and executable files can only be downloaded',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const phone = makePhone({ mobileUrl: `${url}/api/mobile/v1` })
    const { code } = await ann.send('/api/devices/pairing', { method: 'POST', body: {} })
    expect(await phone.register(`Code ${code}`)).toBe(201)
    const post = await mmsPoster(phone)
    await fixture.signIn()
    await fixture.visit('/conversations')
    const picture = await page.screenshot({ type: 'jpeg' })
    const sent = mms([
      ['beach.jpg', picture],
      ['voice.wav', Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt '), Buffer.alloc(28)])],
      ['logo.png', Buffer.from(SVG), 'image/png'],
      ['page.jpg', Buffer.from('<html><script>document.title = "hostile"</script>')],
    ])
    expect(await post(sent)).toBe(204)
    await page.locator('.conversations-row').filter({ hasText: 'Look!' }).locator('svg').waitFor()
    await page.getByText('Look!').first().click()
    const shown = page.getByRole('img', { name: 'Picture beach.jpg' })
    await shown.waitFor()
    await expect.poll(() => shown.evaluate(sizeOf)).toBe(480)
    for (const name of ['logo.svg', 'page.html'])
      await page.getByRole('button', { name: `Save ${name}` }).waitFor()
    await fixture.look('conversation-pictures')
    await shown.click()
    const large = page.getByRole('dialog').getByRole('img')
    await expect.poll(() => large.evaluate(sizeOf)).toBeGreaterThan(700)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Play voice.wav' }).click()
    await page.getByRole('dialog').locator('audio').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save page.html' }).click()
    expect((await saved).suggestedFilename()).toMatch(/^page.*\.html$/)
    expect(await page.title()).not.toBe('hostile')
    phone.kill()
  },
)
