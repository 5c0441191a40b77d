import { ANN, ROOT, scenario } from './support/browser-fixture.ts'

scenario(
  'the first superuser is created by the printed link, signs out and in again',
  async (fixture) => {
    const { page, link } = fixture
    await page.goto(link)
    await page.getByLabel('Email').fill(ROOT.email.replace('b', 'B'))
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByLabel('Repeat the password').fill('other')
    await fixture.refused(/^POST \/api\/collections\/_superusers\/records: 400/, async () => {
      await page.getByRole('button', { name: 'Create the account' }).click()
      await page.getByText('The two are not the same.').waitFor()
    })
    await fixture.look('first-superuser')
    await page.getByLabel('Password', { exact: true }).fill(ROOT.password)
    await page.getByLabel('Repeat the password').fill(ROOT.password)
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
    await fixture.look('users-empty')
    await page.goto(link)
    await page.getByText('This server has a superuser already.').waitFor()
    await page.getByRole('link', { name: 'Go to the console' }).click()
    await fixture.visit('/health')
    const steps = page.locator('.card').filter({ hasText: 'First steps' })
    await steps.getByRole('link', { name: 'Create a user' }).waitFor()
    expect(await steps.getByText('Done.').count()).toBe(0)
    await page.locator('.badge.warn').filter({ hasText: 'never' }).waitFor()
    await fixture.look('first-steps-of-a-server')

    if (fixture.screen === 'phone') {
      await page.getByRole('button', { name: 'More' }).click()
      await fixture.look('drawer')
      await page.keyboard.press('Escape')
    }
    await fixture.signOut()

    await page.goto(link)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await page.getByRole('link', { name: 'Go to the sign-in' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  },
)

scenario(
  'a wrong password is refused, and a right one opens the requested page',
  async (fixture) => {
    const { page, url } = fixture
    await fixture.ann()
    await page.goto(`${url}/_/#/templates`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Email').fill(ANN.email)
    await page.getByLabel('Password').fill('not-it-at-all')
    await fixture.refused(/^POST \/api\/collections\/users\/auth-with-password: 400/, async () => {
      await page.keyboard.press('Enter')
      await page.getByText('Email or password is wrong.').waitFor()
    })
    await page.getByLabel('Password').fill(ANN.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Templates', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Templates', exact: true }).waitFor()
  },
)

scenario('a session ended by the server leads to the sign-in page and back', async (fixture) => {
  const { page } = fixture
  await fixture.signIn()
  await fixture.visit('/templates')
  const root = await fixture.root()
  const { id } = await root.collection('users').getFirstListItem(`email = "${ANN.email}"`)
  // the page may ask for its account while the session is checked: a void token finds no user
  await fixture.refused(
    /auth-refresh: 401|account\/(?:accounts|inbox): 401|user_settings_via_user: 404/,
    async () => {
      await root
        .collection('users')
        .update(id, { password: 'another-pass1', passwordConfirm: 'another-pass1' })
      await page.reload()
      await page.getByText('Your session has ended.').waitFor()
      await page.waitForLoadState('networkidle')
    },
  )
  await page.getByLabel('Email').fill(ANN.email)
  await page.getByLabel('Password').fill('another-pass1')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Templates', exact: true }).waitFor()
  expect(page.url()).toMatch(/#\/templates$/)
})

scenario(
  'a forgotten password is reset by a mailed link',
  async (fixture) => {
    const { page, url } = fixture
    await fixture.ann()
    await page.goto(`${url}/`)
    await page.getByRole('link', { name: 'Forgotten your password?' }).click()
    await page.getByLabel('Email').fill(ANN.email)
    await page.getByText('This server has no mail server').waitFor()
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByRole('heading', { name: 'No mail goes out' }).waitFor()
    await fixture.look('forgotten')
    const link = /http[^\s"\\]+confirm-password-reset[^\s"\\)\]]+/
    await expect.poll(fixture.output).toMatch(link)
    await page.goto(link.exec(fixture.output())![0])
    await page.getByLabel('Password', { exact: true }).fill('a-new-password')
    await page.getByLabel('Repeat the password').fill('a-new-password')
    await fixture.look('new-password')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Email').fill(ANN.email)
    await page.getByLabel('Password').fill('a-new-password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Conversations' }).waitFor()

    await (await fixture.root()).settings.update({
      smtp: { enabled: true, host: '127.0.0.1', port: 2525 },
    })
    await fixture.visit('/forgotten')
    await page.getByText('You get a mail with a link to set a new one.').waitFor()
    await page.getByRole('button', { name: 'Send the mail' }).waitFor()
    await page.goto(`${url}/#/auth/confirm-verification/cut`)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  },
  { LOG_LEVEL: 'info' },
)

scenario('whoever signs in after another person gets a page of their own', async (fixture) => {
  const { page } = fixture
  await fixture.ann()
  await fixture.signIn('root')
  await fixture.visit('/users')
  await fixture.signOut()
  await page.getByText('User', { exact: true }).click()
  await page.getByLabel('Email').fill(ANN.email)
  await page.getByLabel('Password').fill(ANN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Conversations' }).first().waitFor()
  expect(await page.getByText('There is no such page').count()).toBe(0)
})
