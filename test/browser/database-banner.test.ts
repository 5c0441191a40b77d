import { type BrowserFixture, scenario } from './support/browser-fixture.ts'

const CONTACTS = '**/api/collections/contacts/records**'
const READY = '**/api/ready'

/** What the server answers while its database is away, or its disk is full. */
const AWAY = 'The database cannot be reached at the moment. Please try again later.'
const FULL = 'The disk of the database is full, so nothing can be stored.'
const AWAY_BANNER = 'The server cannot reach its database. This page tries again by itself.'
const FULL_BANNER =
  'The disk of the server is full, nothing can be stored. This page tries again by itself.'

/** Answers requests as the server does without its database; the function ends that. */
async function failRequests(
  { page }: BrowserFixture,
  message: string,
  methods: readonly string[],
): Promise<() => Promise<void>> {
  const json = { status: 503, message, data: {} }
  await page.route(CONTACTS, (route) =>
    methods.includes(route.request().method())
      ? route.fulfill({ status: 503, json })
      : route.fallback(),
  )
  await page.route(READY, (route) => route.fulfill({ status: 503, json: { ready: false } }))
  return async () => {
    await page.unroute(CONTACTS)
    await page.unroute(READY)
  }
}

const addContacts = async (fixture: BrowserFixture) => {
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  for (const [name, phone] of [
    ['Anna', '+491511000001'],
    ['Ben', '+491511000002'],
  ])
    await ann.collection('contacts').create({ user, name, phone })
}

scenario(
  'one banner says that the database is away, and the list keeps its rows until it is back',
  async (fixture) => {
    const { page, say } = fixture
    await addContacts(fixture)
    await fixture.signIn()
    await fixture.visit('/contacts')
    await page.getByText('Anna').first().waitFor()
    const banner = page.getByText(say(AWAY_BANNER))
    await fixture.refused(/ 503/, async () => {
      const end = await failRequests(fixture, AWAY, ['GET'])
      await fixture.visit('/templates')
      await fixture.visit('/contacts')
      await banner.waitFor()
      await page.getByText('Anna').first().waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await fixture.look('database-away')
      await end()
    })
    await (await fixture.ann()).collection('contacts').create({
      user: (await fixture.ann()).authStore.record!.id,
      name: 'Cleo',
      phone: '+491511000003',
    })
    await page.getByText('Cleo').first().waitFor()
    await banner.waitFor({ state: 'detached' })
  },
  {},
  { locale: 'fr-FR' },
)

scenario(
  'one banner says that the disk is full, and the form that nothing was stored',
  async (fixture) => {
    const { page, say } = fixture
    await addContacts(fixture)
    await fixture.signIn()
    await fixture.visit('/contacts')
    const banner = page.getByText(say(FULL_BANNER))
    const dialog = page.getByRole('dialog')
    await fixture.refused(/ 503/, async () => {
      const end = await failRequests(fixture, FULL, ['POST', 'PATCH'])
      await page.getByRole('button', { name: say('Add a contact') }).click()
      await dialog.getByLabel(say('Number'), { exact: true }).fill('+4915110000009')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: say('Save') })
        .click()
      await banner.waitFor()
      await dialog.getByRole('alert').waitFor()
      await page.getByText('Anna').first().waitFor()
      await end()
    })
    await banner.waitFor({ state: 'detached' })
  },
  {},
  { locale: 'de-DE' },
)
