import type PocketBase from 'pocketbase'
import { ANN, type BrowserFixture } from './browser-fixture.ts'
import { type Phone, pairPhone } from './phone.ts'

const SOON_MS = 3_600_000
const ZOE = '+4915112345678'
export const STRANGER = '+4915112345679'
/** A user who is disabled. */
export const BEA = 'bea@example.com'
/** As a browser with a push service makes one (RFC 8291). */
const SUBSCRIPTION = {
  endpoint: 'https://push.example.com/laptop',
  keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
}

/** Ids of what there is one of each. */
export interface Furnished {
  readonly device: string
  readonly contact: string
  readonly group: string
  readonly webhook: string
  readonly hook: string
  readonly campaign: string
  /** A campaign of which one text failed, and one that was canceled. */
  readonly failedCampaign: string
  readonly canceledCampaign: string
  readonly scheduled: string
  readonly batch: string
  readonly failed: string
  /** A message of which nobody knows whether it went out. */
  readonly unknown: string
  /** An export of a person's data. */
  readonly request: string
  readonly backup: string
}

/** An account with one of each thing that a page shows, and a server with a backup and a log. */
export async function furnish({
  ann: makeAnn,
  root: makeRoot,
  url,
}: BrowserFixture): Promise<Furnished> {
  const [ann, root] = [await makeAnn(), await makeRoot()]
  const user = ann.authStore.record!.id
  await root.collection('users').update(user, { monthly_quota: 1500 })
  const { id: bea } = await root
    .collection('users')
    .create({ ...ANN, passwordConfirm: ANN.password, email: BEA })
  await root.collection('user_settings').create({ user: bea, disabled: true })
  const make = async (collection: string, values: object) =>
    (await ann.collection(collection).create({ user, ...values })).id
  const phone = await pairPhone(url, ann, 'Ladentelefon', [], 'simulator')
  const [line] = await ann.collection('lines').getFullList()
  await ann.collection('lines').update(line!.id, { daily_limit: 100, prefixes: '+49' })
  const [settings] = await ann.collection('user_settings').getFullList()
  await ann
    .collection('user_settings')
    .update(settings!.id, { quiet_from: '22:00', quiet_to: '08:00' })
  await make('auto_answers', { name: 'Urlaub', match: 'words', value: 'Preis', body: '5 EUR' })
  await make('contact_fields', { name: 'Geburtstag', type: 'date' })
  const group = await make('contact_groups', { name: 'Stammkunden' })
  const labels = [await make('labels', { name: 'Reklamation', color: 'red' })]
  await make('inbox_views', { name: 'Dringend', labels })
  const contact = await make('contacts', { name: 'Zoë', phone: ZOE, groups: [group], labels })
  await make('sms_templates', { name: 'Paket', body: 'Hallo {{name}}, Ihr Paket ist da.' })
  const webhook = await make('webhooks', {
    url: 'https://example.com/hook',
    events: ['message.sent'],
  })
  const hook = await make('hooks', {
    name: 'Prometheus',
    preset: 'alertmanager',
    recipients: [ZOE],
  })
  await make('api_keys', { name: 'Webshop' })
  const service = await make('verify_services', {
    name: 'Kasse',
    templates: { de: 'Ihr Code: {{code}}' },
  })
  await ann.send('/api/verify', { method: 'POST', body: { to: ZOE, service } })
  for (const task of await phone.claim()) await phone.report(task, 'sent')
  const failed = await exchange(ann, phone)
  const unknown = await failUnknown(ann, phone)
  const failedCampaign = await failCampaign(ann, phone)
  // ends the deliveries that wait for their next try as failed
  for (const enabled of [false, true]) await ann.collection('webhooks').update(webhook, { enabled })
  const at = new Date(Date.now() + SOON_MS).toISOString()
  const send = (path: string, body: object) => ann.send(path, { method: 'POST', body })
  const { message_ids, batch_id } = await send('/api/sms/send', {
    recipients: [ZOE, STRANGER],
    body: 'Bis gleich',
    scheduled_at: at,
  })
  const { id: campaign } = await send('/api/campaigns', {
    recipients: [ZOE, STRANGER],
    body: 'Ab Montag alles billiger',
    scheduled_at: at,
  })
  const canceledCampaign = await cancelCampaign(ann, at)
  const { id: request } = await send('/api/person/data', { number: STRANGER })
  await subscribeBrowser(ann)
  await root.backups.create('eins.zip')
  const wrong = { identity: ANN.email, password: 'not-her-password' }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(wrong)
  // in the log
  await fetch(`${url}/api/collections/users/auth-with-password`, { method: 'POST', headers, body })
  return {
    device: phone.id,
    contact,
    group,
    webhook,
    hook,
    campaign,
    failedCampaign,
    canceledCampaign,
    scheduled: message_ids[0],
    batch: batch_id,
    failed,
    unknown,
    request,
    backup: 'eins.zip',
  }
}

/** Texts in both directions, of which one failed; its id. */
async function exchange(ann: PocketBase, phone: Phone): Promise<string> {
  await ann.send('/api/sms/send', {
    method: 'POST',
    body: { recipients: [ZOE, STRANGER], body: 'Wir haben offen' },
  })
  let failed = ''
  for (const task of await phone.claim()) {
    if (task.to === STRANGER) failed = task.id
    await phone.report(task, 'sent')
    if (failed === task.id) await phone.report(task, 'failed', { error_message: 'SIM gesperrt' })
  }
  await phone.hear(ZOE, 'Danke!')
  await phone.hear(STRANGER, 'Wer ist da?')
  return failed
}

/** A text whose phone went silent with it, as the server ends such a one; its id. */
async function failUnknown(ann: PocketBase, phone: Phone): Promise<string> {
  await ann.send('/api/sms/send', {
    method: 'POST',
    body: { recipients: [ZOE], body: 'Seid ihr da?' },
  })
  const [task] = await phone.claim()
  await phone.report(task!, 'failed', { error_message: 'Outcome unknown: the device went silent' })
  return task!.id
}

/** A campaign whose first text was sent and whose second failed; its id. */
async function failCampaign(ann: PocketBase, phone: Phone): Promise<string> {
  const body = {
    recipients: [ZOE, STRANGER],
    body: 'Nur heute',
    hold_seconds: 0,
    quiet_hours: false,
  }
  const { id } = await ann.send('/api/campaigns', { method: 'POST', body })
  for (let left = 2; left > 0; )
    for (const task of await phone.claim()) {
      await phone.report(task, 'sent')
      if (--left === 0) await phone.report(task, 'failed', { error_message: 'SIM gesperrt' })
    }
  return id
}

async function cancelCampaign(ann: PocketBase, scheduled_at: string): Promise<string> {
  const body = { recipients: [ZOE, STRANGER], body: 'Abgesagt', scheduled_at }
  const { id } = await ann.send('/api/campaigns', { method: 'POST', body })
  await ann.send(`/api/campaigns/${id}/cancel`, { method: 'POST' })
  return id
}

/** Another browser that notifies the user. */
const subscribeBrowser = (ann: PocketBase) =>
  ann.send('/api/account/push', { method: 'PUT', body: SUBSCRIPTION })

/** What opens a dialog: the last button with this name is pressed, or something else is done. */
export type Step = string | RegExp | ((fixture: BrowserFixture) => Promise<unknown>)

const CONTACTS = 'Nachname;Telefon;Ort\nEva;+49 151 20000019;Bonn\nKein Telefon;12;Kiel'

/** A button with exactly this name. */
export const exactly = (name: string): RegExp => new RegExp(`^${RegExp.escape(name)}$`)

/** Presses a button of the open dialog whose name the page behind it has, too. */
export const inDialog =
  (name: string): Step =>
  ({ page }) =>
    page.getByRole('dialog').getByRole('button', { name }).click()

export const fill =
  (label: string, text: string): Step =>
  ({ page }) =>
    page.getByLabel(label, { exact: true }).fill(text)

/** Clicks one of several choices. */
export const choose =
  (choice: string): Step =>
  ({ page }) =>
    page.getByText(choice, { exact: true }).click()

export const selectContact =
  (contact: string): Step =>
  ({ page, say }) =>
    page.getByLabel(say('Choose {contact}', { contact }), { exact: true }).check()

/** Pastes two contacts into the import, one of them without a number, and looks at the preview. */
export const pasteContacts: Step = async ({ page, say }) => {
  await page.getByLabel(say('Or paste rows here')).fill(CONTACTS)
  await page.getByRole('button', { name: say('Check the rows') }).click()
  await page.getByRole('button', { name: say('Import {count}', { count: 1 }) }).waitFor()
}

/** Waits until the dialog shows this. */
export const sees =
  (role: 'heading' | 'timer', name = ''): Step =>
  ({ page }) =>
    page.getByRole('dialog').getByRole(role, { name }).waitFor()

/** Goes to another page by its address, as a link does. */
export const leaveFor =
  (path: string): Step =>
  ({ page }) =>
    page.evaluate(`location.hash = ${JSON.stringify(path)}`)

/** Does one step after the other. */
export async function take(fixture: BrowserFixture, steps: readonly Step[]): Promise<void> {
  for (const step of steps)
    if (typeof step === 'function') await step(fixture)
    else await fixture.page.getByRole('button', { name: step }).last().click()
}
