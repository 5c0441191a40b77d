import { ANN, scenario } from './support/browser-fixture.ts'

// The authenticator is Chromium's virtual one: it asks nobody, and verifies the person.

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

scenario(
  'a person adds a passkey, signs in by it alone and after the password, and requires second factors of the team',
  async (fixture) => {
    const { page } = fixture
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const browser = await page.context().newCDPSession(page)
    await browser.send('WebAuthn.enable')
    await browser.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR })
    await fixture.signIn()
    await fixture.visit('/account')
    await button('Add a passkey').click()
    await page.getByLabel('Name of the passkey').fill('My phone')
    await page.getByLabel('Your password').fill(ANN.password)
    await fixture.look('passkey')
    await button('Create the passkey').click()
    await page.getByText('Keep these recovery codes').waitFor()
    await button('I have copied them').click()
    await page.getByRole('cell', { name: 'My phone' }).waitFor()
    await fixture.look('passkeys')

    await fixture.signOut()
    await fixture.look('sign-in-with-a-passkey')
    await button('Sign in with a passkey').click()
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()

    await fixture.signOut()
    await page.getByLabel('Email').fill(ANN.email)
    await page.getByLabel('Password').fill(ANN.password)
    await fixture.refused(/^POST .*auth-with-password: 401/, async () => {
      await button('Sign in').click()
      await page.getByText('Use your passkey, or enter a recovery code.').waitFor()
    })
    await fixture.look('second-step-by-passkey')
    await button('Use the passkey').click()
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()

    await fixture.visit('/team')
    await page.getByText('Has one').waitFor()
    await page.getByLabel('Everybody must have one from').fill('2026-01-01')
    await page
      .locator('.card')
      .filter({ hasText: 'Everybody must have one from' })
      .locator(button('Save'))
      .click()
    const ann = await fixture.ann()
    await expect
      .poll(() => ann.collection('user_settings').getFullList())
      .toMatchObject([{ second_factor_from: expect.stringMatching(/^202(5-12-31|6-01-01)/) }])

    await fixture.visit('/account')
    await fixture.refused(/: 403$/, async () => {
      await button('Remove').click()
      await button('Remove the passkey').waitFor()
      // the sign-in with two proofs is new, so the password is not asked for
      expect(await page.getByLabel('Your password').count()).toBe(0)
      await button('Remove the passkey').click()
      await page.getByText('opens only once you have set up a second factor').waitFor()
      await fixture.look('second-factor-required')
      await page.evaluate(`location.hash = '/contacts'`)
      await page.reload()
      await page.getByText('opens only once you have set up a second factor').waitFor()
    })
  },
  {},
  { host: 'localhost' },
)
