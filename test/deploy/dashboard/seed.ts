import PocketBase from 'pocketbase'
import { computeTotp, readTotpStep } from '../../../src/engine/auth/totp.ts'
import { setUpApp } from '../../support/server/set-up-app.ts'
import { type DashboardFixture, visit, visitCollection } from './dashboard-fixture.ts'

const PASSWORD = 'secret-enough'
const TEXTS = [
  'Your parcel is on its way',
  'Your code is 4711',
  'See you at noon',
  'Closed on Monday',
]
const CONTACTS = 12

/**
 * Fills a gateway over its API: a user with groups, contacts and a simulated phone, and messages to all
 * contacts.
 */
export async function seed(url: string, email: string, password: string): Promise<void> {
  const root = new PocketBase(url)
  root.autoCancellation(false)
  await root.collection('_superusers').authWithPassword(email, password)
  const values = {
    email: 'ann@example.com',
    password: PASSWORD,
    passwordConfirm: PASSWORD,
    name: 'Ann',
  }
  const { id: user } = await root.collection('users').create({ ...values, verified: true })
  const groups: string[] = []
  for (const name of ['customers', 'staff'])
    groups.push((await root.collection('contact_groups').create({ user, name })).id)
  const phones: string[] = []
  for (let i = 0; i < CONTACTS; i++) {
    const phone = `+4477009000${String(i).padStart(2, '0')}`
    const contact = {
      user,
      phone,
      name: `Contact ${i}`,
      groups: [groups[i % 2]],
      data: { city: 'Bath', row: i },
    }
    await root.collection('contacts').create(contact)
    phones.push(phone)
  }
  const ann = new PocketBase(url)
  await ann.collection('users').authWithPassword('ann@example.com', PASSWORD)
  const { code } = await ann.send<{ code: string }>('/api/devices/pairing', {
    method: 'POST',
    body: {},
  })
  await ann.send('/api/devices/pair', {
    method: 'POST',
    body: { code, name: 'Phone', platform: 'simulator' },
  })
  for (const body of TEXTS)
    await ann.send('/api/sms/send', { method: 'POST', body: { recipients: phones, body } })
}

/** The first superuser, made on the page behind the printed link, who then is signed in. */
export async function firstSuperuser(fixture: DashboardFixture): Promise<void> {
  const { page, link, email, password } = fixture
  await page.goto(link)
  await page.fill('#superuser_email', email)
  await page.fill('#superuser_password', password)
  await page.fill('#superuser_password_confirm', password)
  await fixture.shot('installer')
  await page.getByText('Create superuser and login').click()
  await page.getByText('New collection').waitFor()
  await fixture.shot('signed-up')
}

/** Signs out, is told of a wrong password, and signs in again; stays so over a reload. */
export async function signOutAndIn(fixture: DashboardFixture): Promise<void> {
  const { page, email, password } = fixture
  await page.locator('.logged-user').first().click()
  await page.getByText('Logout').click()
  const identity = page.locator('input[name=identity]')
  await identity.waitFor()
  await fixture.shot('login')
  const submit = async (text: string) => {
    await identity.fill(email)
    await page.locator('input[type=password]').fill(text)
    await page.locator('button.next, form button:has-text("Login")').first().click()
  }
  await fixture.refused(/^POST \/api\/collections\/_superusers\/auth-with-password: 400/, () =>
    submit('not-it-at-all'),
  )
  await page.getByText('Invalid login credentials').waitFor()
  await submit(password)
  await page.getByText('New collection').waitFor()
  await page.reload()
  await page.getByText('New collection').waitFor()
}

/** Signs in with a code of an authenticator app, which is entered as a mailed one. Removes the app again. */
export async function signInWithApp(fixture: DashboardFixture): Promise<void> {
  const { page, url, email, password } = fixture
  const root = new PocketBase(url)
  await root.collection('_superusers').authWithPassword(email, password)
  const headers = { authorization: root.authStore.token }
  const { secret, recovery } = await setUpApp(url, headers, password)
  await page.locator('.logged-user').first().click()
  await page.getByText('Logout').click()
  await page.locator('input[name=identity]').fill(email)
  await page.locator('input[type=password]').fill(password)
  await fixture.refused(
    /^POST \/api\/collections\/_superusers\/auth-with-password: 401/,
    async () => {
      await page.locator('form button.next').click()
      await page.locator('#otp_password').waitFor()
    },
  )
  await fixture.shot('code-of-the-app')
  // the code that confirmed the app counts no more: the one after it counts already
  await page.locator('#otp_password').fill(computeTotp(secret, readTotpStep() + 1))
  await page.locator('.auht-with-otp-form button.block').click()
  await page.getByText('New collection').waitFor()
  const body = { password, code: recovery[0] }
  await root.send('/api/account/second-factor/remove', { method: 'POST', body })
}

/** All collections of the gateway stand in the sidebar, and each can be opened. */
export async function openEachCollection(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/collections')
  await page.locator('.nav-group-system-collections summary').click()
  const names = await page.locator('.collections-list .nav-item .txt').allTextContents()
  for (const name of names) await visitCollection(fixture, name)
  await fixture.shot('system-collection')
}
