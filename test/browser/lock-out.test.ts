import PocketBase from 'pocketbase'
import { expect } from 'vitest'
import { TestListener } from '../realtime/ear.ts'
import { codeIn, type MailServer, startMailServer } from '../support/services/mail-server.ts'
import { type OidcServer, signInByProvider, startOidcServer } from '../support/services/oidc-server.ts'
import { type Browser, openBrowser } from './support/browser.ts'
import { ANN, type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const TO = '+4915112345678'
const NEW_PASSWORD = 'another-password2'
const ENDED = 'Your session has ended. It was signed out elsewhere'
const DISABLED = 'This account is disabled. Ask a superuser of this server.'

async function playWithServices(fixture: BrowserFixture): Promise<void> {
  const mail = await startMailServer()
  const oidc = await startOidcServer(`${fixture.url}/api/oauth2-redirect`)
  const hers = await openBrowser(fixture.url, fixture.screen)
  try {
    await play(fixture, hers, mail, oidc)
    expect(hers.faults).toEqual([])
  } finally {
    await hers.close()
    await mail.stop()
    await oidc.stop()
  }
}

scenario(
  'a locked user is out at once and by every way, until unlocked',
  playWithServices,
  {},
  { ms: 240_000 },
)

/** `hers`: the browser of the user who is locked. The other one is that of the superuser. */
async function play(fixture: BrowserFixture, hers: Browser, mail: MailServer, oidc: OidcServer) {
  const { page, url } = fixture
  const [root, ann] = [await fixture.root(), await fixture.ann()]
  const user = ann.authStore.record!.id
  const users = new PocketBase(url).collection('users')
  await letInByMailAndProvider(root, mail, oidc)
  await fixture.signIn('root')
  await fixture.visit('/users')

  // all ways are open
  const phone = await pairPhone(url, ann, 'Phone')
  const { key } = await ann.collection('api_keys').create({ user, name: 'shop' })
  const sendWithKey = () =>
    post(url, 'sms/send', { 'x-api-key': key }, { recipients: [TO], body: 'Hi' }).then(statusOf)
  const claim = () => post(url, 'devices/claim', { authorization: phone.token }).then(statusOf)
  expect([await sendWithKey(), await claim()]).toEqual([200, 200])
  oidc.account = ANN.email
  oidc.accounts.set(ANN.email, { name: 'Ann', email: ANN.email, email_verified: true })
  expect(await signInByProvider(url, oidc)).toBe(user)
  const { otpId } = await users.requestOTP(ANN.email)
  const code = await nextOf(mail, codeIn)
  await users.requestPasswordReset(ANN.email)
  const link = await nextOf(mail, linkIn)
  await hers.page.goto(`${url}/#/messages`)
  await signIn(hers, ANN.password)
  await hers.page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
  const stream = await TestListener.on(url, ann.authStore.token, 'contacts')
  const deviceStream = await openDeviceStream(url, phone.token)

  await hers.refused(/: 40[14]$/, async () => {
    await lock(fixture)
    // nobody touches her page
    await hers.page.getByText(ENDED).waitFor()
    await hers.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
  await hers.look('locked-out')
  await page.getByRole('cell', { name: 'Disabled' }).waitFor()
  await stream.ended
  await deviceStream.text().catch(() => '') // until it ends

  // all ways are closed
  await hers.refused(/auth-with-password: 403$/, async () => {
    await signIn(hers, ANN.password)
    await hers.page.getByText(DISABLED).waitFor()
  })
  await hers.look('sign-in-disabled')
  const mailsBefore = mail.mails.length
  await askForLink(hers, url)
  await users.requestOTP(ANN.email)
  expect(mail.mails.slice(mailsBefore)).toEqual([])
  await hers.refused(/confirm-password-reset: 400$/, async () => {
    await followLink(hers, link)
    await hers.page.getByRole('alert').waitFor()
  })
  await hers.look('locked-out-link')
  await hers.page.goto(`${url}/#/messages`)
  await hers.refused(/auth-with-password: 400$/, async () => {
    await signIn(hers, NEW_PASSWORD)
    await hers.page.getByText('Email or password is wrong.').waitFor()
  })
  await expect(users.authWithOTP(otpId, code)).rejects.toMatchObject({ status: 400 })
  await expect(signInByProvider(url, oidc)).rejects.toMatchObject({ status: 403 })
  expect([await sendWithKey(), await claim()]).toEqual([401, 403])
  expect((await openDeviceStream(url, phone.token)).status).toBe(403)
  // to a void token the stream is that of a guest, who hears nothing
  const reopened = await TestListener.on(url, ann.authStore.token, 'contacts')
  await root.collection('contacts').create({ user, name: 'Zoe', phone: TO })
  expect(await reopened.next(0, { quietMs: 1_000 })).toEqual([])
  await reopened.close()

  await unlock(fixture)
  await page.getByRole('cell', { name: 'Active' }).waitFor()
  await signIn(hers, ANN.password)
  await hers.page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
  await expect(ann.collection('users').authRefresh()).rejects.toMatchObject({ status: 401 })
  expect([await sendWithKey(), await claim()]).toEqual([200, 200])
  expect(await signInByProvider(url, oidc)).toBe(user)
  const { otpId: newId } = await users.requestOTP(ANN.email)
  const { token } = await users.authWithOTP(newId, await nextOf(mail, codeIn))
  const again = await TestListener.on(url, token, 'contacts')
  await root.collection('contacts').create({ user, name: 'Yan', phone: '+4915112345679' })
  expect(await again.next(1)).toMatchObject([{ data: { action: 'create', record: { name: 'Yan' } } }])
  await again.close()
}

/** Mails go to `mail`; users may sign in by a mailed code and by the provider. */
async function letInByMailAndProvider(root: PocketBase, mail: MailServer, oidc: OidcServer): Promise<void> {
  await root.settings.update({ smtp: { enabled: true, host: '127.0.0.1', port: mail.port } })
  const provider = { displayName: 'Work', ...oidc.options }
  await root.collections.update('users', {
    otp: { enabled: true },
    oauth2: { enabled: true, providers: [provider] },
  })
}

async function lock({ page, look }: BrowserFixture): Promise<void> {
  await page.getByRole('button', { name: `Edit ${ANN.email}` }).click()
  await page.getByRole('button', { name: 'Disable…' }).click()
  await look('users-lock')
  await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByText(`${ANN.email} is disabled`).waitFor()
}

async function unlock({ page, look }: BrowserFixture): Promise<void> {
  await page.getByRole('button', { name: `Edit ${ANN.email}` }).click()
  await page.getByRole('button', { name: 'Enable…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('API keys: 1').waitFor()
  await dialog.getByText('shop', { exact: true }).waitFor()
  await look('users-unlock')
  await dialog.getByRole('button', { name: 'Keep all and enable' }).click()
  await page.getByText(`${ANN.email} can sign in again`).waitFor()
}

async function signIn({ page }: Browser, password: string): Promise<void> {
  await page.getByLabel('Email').fill(ANN.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Asks for a link to set a new password. */
async function askForLink({ page }: Browser, url: string): Promise<void> {
  await page.goto(`${url}/#/forgotten`)
  await page.getByLabel('Email').fill(ANN.email)
  await page.getByRole('button', { name: 'Send the mail' }).click()
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
}

async function followLink({ page }: Browser, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD)
  await page.getByLabel('The same password again').fill(NEW_PASSWORD)
  await page.getByRole('button', { name: 'Set the password' }).click()
}

const linkIn = (text: string) => /http\S+confirm-password-reset\/[\w.-]+/.exec(text)?.[0] ?? ''

/** What is found in the next mail that has it: others tell of sign-ins. */
async function nextOf(mail: MailServer, find: (text: string) => string): Promise<string> {
  for (;;) {
    const found = find((await mail.next()).text)
    if (found) return found
  }
}

const post = (url: string, path: string, headers: Readonly<Record<string, string>>, body: object = {}) =>
  fetch(`${url}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const openDeviceStream = (url: string, token: string) =>
  fetch(`${url}/api/devices/events`, { headers: { authorization: token } })

/** Of an answer that is read to its end. */
async function statusOf(answer: Response): Promise<number> {
  await answer.arrayBuffer()
  return answer.status
}
