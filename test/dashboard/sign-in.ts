import { type DashboardFixture, visit, visitCollection } from './dashboard-fixture.ts'

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

/** All collections of the gateway stand in the sidebar, and each can be opened. */
export async function openEachCollection(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/collections')
  await page.locator('.nav-group-system-collections summary').click()
  const names = await page.locator('.collections-list .nav-item .txt').allTextContents()
  for (const name of names) await visitCollection(fixture, name)
  await fixture.shot('system-collection')
}
