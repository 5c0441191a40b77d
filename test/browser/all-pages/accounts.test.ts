import { scenario } from '../support/browser-fixture.ts'
import { holdRequests } from '../support/hold-requests.ts'
import { BEN, chooseAccount, makeTeam, signInAsBen } from '../support/team.ts'

const ZOE = '+4915112345678'
const SLOW_MS = 300

scenario(
  'a member with an account of their own gets live changes after each switch of account',
  async (fixture) => {
    const { page } = fixture
    const phone = await makeTeam(fixture, false)
    await page.route('**/api/realtime', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
      await route.continue()
    })
    await signInAsBen(fixture, fixture.url)
    const account = page.getByLabel('Account', { exact: true }).first()
    for (const [i, label] of [
      'Ben (your own account)',
      'Ann (Agent)',
      'Ben (your own account)',
    ].entries()) {
      await expect.poll(() => account.locator('option').count()).toBe(2)
      await chooseAccount(fixture, label)
      await page.waitForTimeout(i * SLOW_MS)
    }
    await chooseAccount(fixture, 'Ann (Agent)')
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/conversations')
    await phone.hear(ZOE, 'Are you open?')
    await page.getByText('Are you open?').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  },
)

scenario(
  'a session that is renewed while the account changes does not change it back',
  async (fixture) => {
    const { page } = fixture
    await makeTeam(fixture, false)
    await signInAsBen(fixture, fixture.url)
    const account = page.getByLabel('Account', { exact: true }).first()
    const chosen = () => account.locator('option:checked').textContent()
    await expect.poll(chosen).toBe('Ann (Agent)')
    await chooseAccount(fixture, 'Ben (your own account)')
    await expect.poll(chosen).toBe('Ben (your own account)')
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route('**/auth-refresh', async (route) => {
      const response = await route.fetch()
      await held
      await route.fulfill({ response })
    })
    const answer = page.waitForResponse('**/auth-refresh')
    const asked = page.waitForRequest('**/auth-refresh')
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await asked
    await chooseAccount(fixture, 'Ann (Agent)')
    await expect.poll(chosen).toBe('Ann (Agent)')
    go()
    await answer
    await fixture.visit('/devices')
    await page.getByText('Desk phone').first().waitFor()
    expect(await chosen()).toBe('Ann (Agent)')
  },
)

scenario(
  'a member who signs out while the account of the team opens stays signed out',
  async (fixture) => {
    const { page } = fixture
    await makeTeam(fixture, false)
    const root = await fixture.root()
    const { id: user } = await root.collection('users').getFirstListItem(`email = "${BEN.email}"`)
    // of a new account, the console saves these at the sign-in, and a sign-out would refuse that
    await root.collection('user_settings').create({ user, country: 'DE', time_zone: 'UTC' })
    const held = Promise.withResolvers<void>()
    await page.route('**/api/account/act-for', async (route) => {
      const response = await route.fetch()
      await held.promise
      await route.fulfill({ response })
    })
    const asked = page.waitForRequest('**/api/account/act-for')
    await signInAsBen(fixture, fixture.url)
    await asked
    // the inbox leaves room for icons only
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const answer = page.waitForResponse('**/api/account/act-for')
    held.resolve()
    await (await answer).finished()
    await page.reload()
    await page.getByLabel('Password').waitFor()
  },
)

scenario(
  "settings of a member's own account that are saved late do not hide those of the team",
  async (fixture) => {
    const { page } = fixture
    await makeTeam(fixture, false)
    const settings = (await fixture.ann()).collection('user_settings')
    const { id } = await settings.getFirstListItem('')
    await settings.update(id, { quiet_from: '22:00', quiet_to: '08:00' })
    const CREATE = /user_settings\/records$/
    const save = await holdRequests(page, CREATE)
    const switchAccount = await holdRequests(page, '**/api/account/act-for')
    const asked = page.waitForRequest(CREATE)
    await signInAsBen(fixture, fixture.url)
    await asked
    switchAccount()
    const account = page.getByLabel('Account', { exact: true }).first()
    await expect.poll(() => account.locator('option:checked').textContent()).toBe('Ann (Agent)')
    const saved = page.waitForResponse(CREATE)
    save()
    await (await saved).finished()
    await fixture.visit('/send')
    await page.getByLabel('Wait during quiet hours').waitFor()
  },
  {},
  { widths: [1440] },
)

scenario(
  'a removed member reads that they were removed and from which account',
  async (fixture) => {
    const { page } = fixture
    await makeTeam(fixture, true)
    await signInAsBen(fixture, fixture.url)
    const account = page.getByLabel('Account', { exact: true }).first()
    await expect.poll(() => account.locator('option:checked').textContent()).toBe('Ann (Agent)')
    const root = await fixture.root()
    const member = await root.collection('members').getFirstListItem('')
    await fixture.refused(/: 40[134]$/, async () => {
      await root.collection('members').delete(member.id)
      await page.getByText('You are signed out of Ann: its team has removed you').waitFor()
    })
    await page.getByLabel('Password').fill(BEN.password)
    await page.getByLabel('Email').fill(BEN.email)
    await fixture.refused(/auth-with-password: 403$/, async () => {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('no team has you as a member any more').waitFor()
    })
  },
)

scenario('a member on another page is notified of assignments and mentions', async (fixture) => {
  const { page, url } = fixture
  const phone = await makeTeam(fixture, true)
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  await ann.collection('contacts').create({ user, name: 'Zoë', phone: ZOE })
  await phone.hear(ZOE, 'Are you open?')
  const { id: conversation } = await ann.collection('conversations').getFirstListItem('')
  await ann.collection('conversations').update(conversation, { unread: 0 })
  const [member] = await ann.collection('members').getFullList()
  await signInAsBen(fixture, fixture.url)
  await page.getByRole('link', { name: /Zoë/ }).waitFor()
  await page.goto(`${url}/#/contacts`)
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  await page.waitForLoadState('networkidle').catch(() => {})
  await ann.collection('conversations').update(conversation, { assignee: member!.id })
  await page.getByText('Zoë is assigned to you').waitFor()
  const text = 'Ben, can you call her?'
  const note = { user, conversation, text, mentions: [member!.id] }
  await ann.collection('conversation_notes').create(note)
  await page.getByText(`Note about Zoë: ${text}`).waitFor()
  await expect.poll(() => page.title()).toMatch(/^\(1\)/)
  await page.getByRole('status').getByRole('link', { name: 'Open' }).last().click()
  await page.getByLabel('Texts').getByText(text).waitFor()
})
