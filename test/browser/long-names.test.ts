import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const ZOE = '+4915112345678'
const NAME = `Frau Prof. Dr. Dr. h. c. Zoë Alexandra von und zu Löwenstein-Wertheim-Freudenberg, geb. Müller-Lüdenscheidt`
/** The shortest limit of a name. */
const MAX_LETTERS = 100
const SOON_MS = 3_600_000

/** The texts of the page with NAME that have several lines, but for the facts of one thing. */
const LIST_TALL = `(() => {
  const tall = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode
    if (!text.data.includes('Löwenstein') || text.parentElement.closest('option, textarea, dd')) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    if (lines > 1) tall.push(lines + ' lines: ' + text.parentElement.outerHTML.slice(0, 120))
  }
  return tall
})()`

/** An account in which everything is called NAME; the paths of its pages. */
async function nameAll({ ann: makeAnn, url }: BrowserFixture): Promise<string[]> {
  const ann = await makeAnn()
  const user = ann.authStore.record!.id
  const make = async (collection: string, values: object) =>
    (await ann.collection(collection).create({ user, name: NAME.slice(0, MAX_LETTERS), ...values }))
      .id
  const phone = await pairPhone(url, ann, 'desk phone')
  const group = await make('contact_groups', {})
  const contact = await make('contacts', { phone: ZOE, groups: [group] })
  await make('sms_templates', { body: 'Hello' })
  await make('auto_answers', { match: 'words', value: 'Price', body: '5 EUR' })
  const hook = await make('hooks', { preset: 'alertmanager', recipients: [ZOE] })
  await make('api_keys', {})
  await phone.hear(ZOE, 'Are you open?')
  const at = new Date(Date.now() + SOON_MS).toISOString()
  const { id: campaign } = await ann.send('/api/campaigns', {
    method: 'POST',
    body: { name: NAME, recipients: [ZOE], body: 'Cheaper', scheduled_at: at },
  })
  return [
    '/contacts',
    `/contacts/${contact}`,
    '/groups',
    `/groups/${group}`,
    '/templates',
    '/answers',
    '/hooks',
    `/hooks/${hook}`,
    '/keys',
    '/conversations',
    `/conversations/${encodeURIComponent(ZOE)}`,
    '/messages',
    '/campaigns',
    `/campaigns/${campaign}`,
    '/scheduled',
  ]
}

scenario(
  'a long name has one line on each page, and the rest at a press or on hover',
  async (fixture) => {
    const { page } = fixture
    const paths = await nameAll(fixture)
    await fixture.signIn()
    const tall: string[] = []
    for (const path of paths) {
      await fixture.visit(path)
      await page.getByText('Löwenstein').filter({ visible: true }).first().waitFor()
      for (const found of (await page.evaluate(LIST_TALL)) as string[])
        tall.push(`${path}: ${found}`)
    }
    expect(tall).toEqual([])

    await fixture.visit(paths[1]!)
    const title = page.getByRole('heading', { level: 1 })
    const { height } = (await title.boundingBox())!
    await title.hover()
    await page.getByTitle(NAME.slice(0, MAX_LETTERS), { exact: true }).first().waitFor()
    await title.click()
    expect((await title.boundingBox())!.height).toBeGreaterThan(height)
    await title.click()
    expect((await title.boundingBox())!.height).toBe(height)
  },
)
