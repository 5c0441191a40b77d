import type { Locator } from 'playwright-core'
import { scenario } from '../support/browser-fixture.ts'

const PHONE = { locale: 'de-DE', widths: [390] } as const

const boxOf = async (element: Locator) => (await element.boundingBox())!

scenario(
  'the sheet with all pages shows each icon beside its words',
  async ({ page, say, signIn }) => {
    await signIn()
    await page.getByRole('button', { name: say('More'), exact: true }).click()
    const link = page.getByRole('dialog').getByRole('link', { name: say('Templates') })
    const [icon, words] = [await boxOf(link.locator('svg')), await boxOf(link.locator('span'))]
    expect(icon.x + icon.width).toBeLessThan(words.x)
    expect(Math.abs(icon.y + icon.height / 2 - words.y - words.height / 2)).toBeLessThan(4)
  },
  {},
  PHONE,
)
