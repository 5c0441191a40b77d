import pg from 'pg'
import { readEmbeddedUrl } from '../../src/platform/db/embedded/cluster-access.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { setUpApp } from '../support/server/set-up-app.ts'
import { oauth2By, startOidcServer } from '../support/services/oidc-server.ts'
import { scenario } from './support/browser-fixture.ts'

const DATA_DIR = temporaryFolder()

/** Lets a day pass since each proof of a membership. */
async function endProofs(): Promise<void> {
  const client = new pg.Client({ connectionString: readEmbeddedUrl(DATA_DIR) })
  await client.connect()
  await client.query('update members set proven_until = pb_text(now())')
  await client.query('update users set id = id') // servers read cached callers again
  await client.end()
}

scenario(
  'a member by the directory signs in by the provider, again after a day, and the team page says who gave the role',
  async (fixture) => {
    const { page, url } = fixture
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const [root, ann] = [await fixture.root(), await fixture.ann()]
    const oidc = await startOidcServer(`${url}/api/oauth2-redirect`)
    try {
      oidc.account = 'ben'
      oidc.accounts.set('ben', {
        name: 'Ben',
        email: 'ben@example.com',
        email_verified: true,
        groups: ['sms'],
      })
      const oauth2 = oauth2By(oidc, { extra: { scopes: ['groups'] } })
      await root.collections.update('users', { oauth2 })
      const user = ann.authStore.record!.id
      await root
        .collection('directory_roles')
        .create({ user, provider: 'oidc', claim: 'groups', value: 'sms', role: 'agent' })

      const byProvider = async () => {
        await button('Sign in with Work').click()
        await page.getByRole('navigation').first().waitFor()
      }
      await page.goto(`${url}/_/#/team`)
      await button('Sign in with Work').waitFor()
      await fixture.look('sign-in-by-a-provider')
      await byProvider()
      const mine = page.getByRole('row').filter({ hasText: 'You' })
      await mine.getByText('By the directory').waitFor()
      expect(await button('Leave the team').count()).toBe(0)
      await fixture.look('team-by-the-directory')

      await endProofs()
      // pages that were open when the access ended are refused, too, until the person has signed out
      await fixture.refused(/: 40[134]$/, async () => {
        await page.reload()
        await page.getByText('opens once you have signed in again').waitFor()
        await fixture.look('directory-asks-again')
        await button('Sign in again').click()
        await button('Sign in with Work').waitFor()
      })
      await byProvider()
      await fixture.visit('/team')
      await mine.getByText('By the directory').waitFor()

      // a second factor of their own is asked for at once, without their email
      const kept = String(await page.evaluate(`localStorage.getItem('pocketsms.own')`))
      const { recovery } = await setUpApp(url, { authorization: JSON.parse(kept).token })
      await page.evaluate('localStorage.clear()')
      await page.reload()
      await fixture.refused(/auth-with-oauth2: 401$/, async () => {
        await button('Sign in with Work').click()
        await page.getByText('Enter the code of your authenticator app').waitFor()
      })
      await page.getByLabel('Code').fill(recovery[0]!)
      await button('Sign in').click()
      await page.getByRole('navigation').first().waitFor()
    } finally {
      await oidc.stop()
    }
  },
  { DATA_DIR },
  { widths: [1000] },
)
