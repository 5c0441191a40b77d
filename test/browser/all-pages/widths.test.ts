import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { furnish, STRANGER } from '../support/furnished.ts'

const WIDTHS = [320, 390, 720, 768, 931, 1024, 1280, 1440, 1920]
const PATHS = [
  ...['/conversations', `/conversations/${encodeURIComponent(STRANGER)}`, '/send', '/send/list', '/messages'],
  ...['/campaigns', '/answers', '/contacts', '/groups', '/templates', '/devices', '/keys', '/verify'],
  ...['/hooks', '/webhooks', '/team', '/usage', '/account', '/help'],
]

/** How far the page is wider than the window, in pixels. */
const overflow = ({ page }: BrowserFixture) =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth') as Promise<number>

scenario(
  'every page fits into the window, and the answer box is visible, at nine widths',
  async (fixture) => {
    const { page, screen } = fixture
    if (screen === 'phone') return // the widths are those of both screens
    await furnish(fixture)
    await fixture.signIn()
    const wider: string[] = []
    for (const path of PATHS) {
      await fixture.visit(path)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        if ((await overflow(fixture)) > 0) wider.push(`${path} at ${width}`)
        if (!path.startsWith('/conversations/')) continue
        const box = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox()
        if (!box || box.x + box.width > width) wider.push(`Send at ${width}`)
      }
    }
    expect(wider).toEqual([])
  },
)
