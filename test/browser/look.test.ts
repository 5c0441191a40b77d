import { makePhoto } from '../support/pictures.ts'
import { scenario } from './support/browser-fixture.ts'

scenario(
  'the logo and the color of an account are on its pages',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const { id } = await ann
      .collection('contact_groups')
      .create({ user, name: 'News', join_page: true })
    await fixture.signIn()
    await fixture.visit('/account')
    const choose = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a logo' }).click()
    const buffer = await makePhoto('whatsapp')
    await (await choose).setFiles([{ name: 'shop.jpg', mimeType: 'image/jpeg', buffer }])
    await page.getByRole('img', { name: 'Your logo' }).waitFor()
    await page.getByLabel('Color of buttons').fill('#ffcc00')
    await page.getByRole('button', { name: 'Usual color' }).waitFor()
    await fixture.inspect('account-look')
    const { logo } = await ann.collection('user_settings').getFirstListItem('')
    expect(logo).toMatch(/^logo_\w+\.png$/)

    await page.goto(`${url}/join/${id}`)
    const shown = page.locator('img.logo')
    const isDrawn = () => shown.evaluate((img) => (img as { naturalWidth?: number }).naturalWidth)
    await expect.poll(isDrawn).toBeGreaterThan(0)
    expect(
      await page.evaluate('getComputedStyle(document.querySelector("button")).backgroundColor'),
    ).toBe('rgb(255, 204, 0)')
    await fixture.inspect('join-page-look')
  },
  {},
  { widths: [1440, 390] },
)
