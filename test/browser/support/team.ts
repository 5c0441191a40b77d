import { until } from '../../support/until.ts'
import type { Browser } from './browser.ts'
import type { BrowserFixture, Say } from './browser-fixture.ts'
import { type Phone, pairPhone } from './phone.ts'

export const BEN = { name: 'Ben', email: 'ben@example.com', password: 'ben-password1' } as const

/** Makes Ben, who has an account of his own or not, a member of Ann's team. Returns Ann's phone. */
export async function makeTeam(fixture: BrowserFixture, member_only: boolean): Promise<Phone> {
  const [ann, root] = [await fixture.ann(), await fixture.root()]
  const person = { ...BEN, passwordConfirm: BEN.password, verified: true, member_only }
  const { id: member } = await root.collection('users').create(person)
  await root
    .collection('members')
    .create({ account: ann.authStore.record!.id, member, role: 'agent', undo_seconds: 0 })
  return pairPhone(fixture.url, ann, 'Desk phone')
}

/** Signs Ben in. He sees the account of the team, unless he has one of his own. */
export async function signInAsBen(
  { page }: Pick<Browser, 'page'>,
  url: string,
  say: Say = (english) => english,
): Promise<void> {
  await page.goto(url)
  await page.getByLabel(say('Email')).fill(BEN.email)
  await page.getByLabel(say('Password')).fill(BEN.password)
  await page.getByRole('button', { name: say('Sign in') }).click()
}

/** Changes the account. The menu is made again at each change, and a try that has the old one never ends. */
export const chooseAccount = ({ page }: Pick<Browser, 'page'>, label: string): Promise<unknown> =>
  until(`the account ${label}`, () =>
    page
      .getByLabel('Account', { exact: true })
      .first()
      .selectOption({ label }, { force: true, timeout: 3000 })
      .then(
        () => true,
        () => false,
      ),
  )
