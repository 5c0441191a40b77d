import { computeTotp, readTotpStep } from '../../src/engine/auth/totp.ts'
import { ANN, ROOT, scenario } from './support/browser-fixture.ts'

const NEW_PASSWORD = 'another-password2'

scenario(
  'a user changes name, time zone, country and password and ends sessions on the account page',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const users = ann.collection('users')
    const id = ann.authStore.record!.id
    await fixture.signIn()
    // beside the conversations the navigation has room for icons only
    await page.getByRole('button', { name: 'More' }).click()
    await fixture.look('more')
    await page.getByRole('link', { name: ': your account' }).filter({ visible: true }).click()
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)

    await page.getByLabel('Name', { exact: true }).fill('Ann Lopez')
    await page.evaluate(`location.hash = '/messages'`)
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
    await page.getByRole('button', { name: 'Stay' }).click()
    // the owner has a name, and so has the account
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const card = (title: string) => page.locator('.card').filter({ hasText: title })
    await card('Your name').locator(save).click()
    await expect.poll(async () => (await users.getOne(id)).name).toBe('Ann Lopez')
    await page.getByLabel('Name of the account').fill('Salon Lopez')
    await page.getByLabel('Time zone').selectOption('America/New_York')
    await page.getByLabel('Default country').selectOption('AT')
    await card('Name of the account').locator(save).click()
    const settings = () => ann.collection('user_settings').getFullList()
    await expect
      .poll(settings)
      .toMatchObject([
        { account_name: 'Salon Lopez', time_zone: 'America/New_York', country: 'AT' },
      ])
    await page.getByText('This server has no mail server').first().waitFor()
    await page.getByText('You sign in without a second factor.').waitFor()

    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
    await page.getByText('This one', { exact: true }).waitFor()
    expect(await rows.count()).toBe(3)
    // the test's own: this browser's has no such button
    await page.getByRole('button', { name: 'End session' }).click()
    const end = page.getByRole('dialog').getByRole('button', { name: 'End session' })
    await end.click()
    await page.getByText('Session ended').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).last().click()
    await expect.poll(() => rows.count()).toBe(2)
    await expect(users.authRefresh()).rejects.toMatchObject({ status: 401 })
    await users.authWithPassword(ANN.email, ANN.password)
    await page.reload()
    await page.getByText('This one', { exact: true }).waitFor()
    expect(await rows.count()).toBe(3)
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    const sure = page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' })
    await sure.click()
    await page.getByText('You are signed in here alone').waitFor()
    await expect(users.authRefresh()).rejects.toMatchObject({ status: 401 })
    await expect.poll(() => rows.count()).toBe(2)

    await page.getByLabel('Your current password').fill('not-this-one')
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.getByLabel('Repeat the password').fill(NEW_PASSWORD)
    const change = page.getByRole('button', { name: 'Change the password' })
    await fixture.refused(/^PATCH \/api\/collections\/users\/records\/\w+: 400/, async () => {
      await change.click()
      await page.getByText('This is not your password.').waitFor()
    })
    await page.getByLabel('Your current password').fill(ANN.password)
    await change.click()
    await page.getByText('Your new password is set').waitFor()
    await users.authWithPassword(ANN.email, NEW_PASSWORD)

    // what the pages show goes on to be live with the new token
    await fixture.visit('/groups')
    await page.getByText('No groups yet').waitFor()
    await ann.collection('contact_groups').create({ user: id, name: 'Friends' })
    await page.getByRole('cell', { name: 'Friends', exact: true }).waitFor()
  },
)

scenario('a superuser has an account page', async (fixture) => {
  const { page } = fixture
  const root = await fixture.root()
  await fixture.signIn('root')
  await fixture.visit('/account')
  await page.getByLabel('Your current password').fill('not-this-one')
  await page.getByLabel('New password').fill(NEW_PASSWORD)
  await page.getByLabel('Repeat the password').fill(NEW_PASSWORD)
  const change = page.getByRole('button', { name: 'Change the password' })
  await fixture.refused(
    /^POST \/api\/collections\/_superusers\/auth-with-password: 400/,
    async () => {
      await change.click()
      await page.getByText('This is not your password.').waitFor()
    },
  )
  await page.getByLabel('Your current password').fill(ROOT.password)
  await change.click()
  await page.getByText('Your new password is set').waitFor()
  await page.getByLabel('New email').fill('chief@example.com')
  await page.getByRole('button', { name: 'Change the email' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await root.collection('_superusers').authWithPassword('chief@example.com', NEW_PASSWORD)
})

scenario(
  'without a superuser the sign-in page creates one from the printed link',
  async (fixture) => {
    const { page, url, link } = fixture
    await page.goto(url)
    await page.getByRole('link', { name: 'Create the first one' }).click()
    await page.getByLabel('The link that the server printed').fill('something else')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This is not the link.').waitFor()
    await fixture.look('make-superuser')
    await page.getByLabel('The link that the server printed').fill(link)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Email').fill(ROOT.email)
    await page.getByLabel('Password', { exact: true }).fill(ROOT.password)
    await page.getByLabel('Repeat the password').fill(ROOT.password)
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()

    await fixture.signOut()
    await page.getByText('User', { exact: true }).click()
    await page.getByLabel('Email').fill(ROOT.email)
    await page.getByLabel('Password').fill(ROOT.password)
    await fixture.refused(/^POST \/api\/collections\/users\/auth-with-password: 400/, async () => {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Superusers choose “Superuser” above.').waitFor()
    })
  },
)

scenario(
  'a user sets up an authenticator app and signs in with a recovery code',
  async (fixture) => {
    const { page } = fixture
    await fixture.signIn()
    await fixture.visit('/account')
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
    await page.getByLabel('Your password').fill(ANN.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    const secret = await page.locator('pre', { hasText: /^[A-Z2-7]{32}$/ }).innerText()
    await fixture.look('second-factor')
    await page.getByLabel('Code', { exact: true }).fill(computeTotp(secret.trim(), readTotpStep()))
    await page.getByRole('button', { name: 'Switch on', exact: true }).click()
    await page.getByText('Keep these recovery codes').waitFor()
    const codes = await page.locator('pre', { hasText: /^[a-z-]{14}\s/ }).innerText()
    await page.evaluate(`location.hash = '/messages'`)
    await page.getByRole('heading', { name: 'Leave without the recovery codes?' }).waitFor()
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'I have copied them' }).click()
    await page.getByText('Unused recovery codes: 10.').waitFor()
    await page.evaluate(`localStorage.clear()`)
    await page.reload()
    await page.getByLabel('Email').fill(ANN.email)
    await page.getByLabel('Password').fill(ANN.password)
    await fixture.refused(/^POST .*auth-with-password: 401/, async () => {
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText('Enter the code of your authenticator app').waitFor()
    })
    await page.getByLabel('Code', { exact: true }).fill(codes.split('\n')[0]!)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Unused recovery codes: 9.').waitFor()
  },
)

scenario(
  'the console gives a person its language for mails, and each language that is chosen',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const users = ann.collection('users')
    const readLanguage = async () => (await users.getOne(ann.authStore.record!.id)).language
    expect(await readLanguage()).toBe('')
    await fixture.signIn()
    await expect.poll(readLanguage).toBe('en')
    await fixture.visit('/account')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('fr')
    await page.getByRole('combobox', { name: 'Langue' }).waitFor()
    expect(await readLanguage()).toBe('fr')
    await page.reload()
    await page.getByRole('combobox', { name: 'Langue' }).waitFor()
    expect(await readLanguage()).toBe('fr')
  },
)
