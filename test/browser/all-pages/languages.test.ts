import { dialogTitles } from '../../console/texts.ts'
import {
  ANN,
  type BrowserFixture,
  catalogueOf,
  type Say,
  scenario,
} from '../support/browser-fixture.ts'
import {
  BEA,
  choose,
  exactly,
  type Furnished,
  fill,
  furnish,
  inDialog,
  leaveFor,
  pasteContacts,
  STRANGER,
  type Step,
  sees,
  selectContact,
  take,
} from '../support/furnished.ts'
import { hasViewMenu } from '../support/inbox-layout.ts'
import { pagePaths } from '../support/page-paths.ts'

type Role = 'user' | 'superuser'
/** A page, and what is pressed or done there to open a dialog. */
type Way = readonly [path: string, ...steps: Step[]]

const TOUR_MS = 900_000
/** A text to more people than a plain send may have. */
const MANY = Array.from({ length: 21 }, (_, i) => `+49151${20_000_100 + i}`).join(',')
const TO_MANY = `/send?${new URLSearchParams({ to: MANY, text: 'Bis bald' })}`
const CONVERSATION = `/conversations/${encodeURIComponent(STRANGER)}`

const makeKey = (say: Say): readonly Step[] => [
  say('New key'),
  fill(say('Name'), 'Kasse'),
  say('Create the key'),
  sees('heading', say('The key of {name}', { name: 'Kasse' })),
]

/** On a desktop, the contact is beside the texts. */
const openAbout: Step = async ({ page, say, screen }) => {
  if (screen === 'phone')
    await page.getByRole('button', { name: say('About this contact') }).click()
}

const pressKey =
  (key: string): Step =>
  ({ page }) =>
    page.keyboard.press(key)

const repeatDaily: Step = ({ page, say }) =>
  page.getByLabel(say('How often')).selectOption({ label: say('Every day') })

const makeNote = (say: Say): readonly Step[] => [
  exactly(say('Note')),
  fill(say('Note: it is not sent'), 'Kommt am Montag'),
  say('Save the note'),
]

const makeWebhook = (say: Say): readonly Step[] => [
  say('New outgoing webhook'),
  fill(say('Address'), 'https://example.com/b'),
  say('Create the webhook'),
  sees('heading', say('The secret of the webhook')),
]

const makeSecret = (say: Say): readonly Step[] => [
  say('Create a new secret'),
  inDialog(say('Create a new secret')),
  sees('heading', say('The new secret')),
]

/** Presses a button of the dialog of a user, which asks a question about the email. */
const askOfUser = (say: Say, name: string, button: string, question: string): readonly Step[] => [
  say('Change {name}', { name }),
  say(button),
  sees('heading', say(question, { email: name })),
]

/** Opens the views, which a narrow window has behind a button. */
const openViews: Step = async (fixture) => {
  if (hasViewMenu(fixture))
    await fixture.page.locator('.conversations-find .menu > .button').first().click()
}

const dialogsOfUser = (say: Say, ids: Furnished): readonly Way[] => [
  ['/contacts', say('Add a contact')],
  [`/contacts/${ids.contact}`, say('Record a consent')],
  ['/contacts', say('Import')],
  ['/contacts', say('Import'), pasteContacts],
  ['/contacts', say('Order and columns')],
  ['/contacts', say('Actions of {name}', { name: 'Zoë' }), exactly(say('Change'))],
  ['/contacts', say('Actions of {name}', { name: 'Zoë' }), exactly(say('Delete'))],
  ['/contacts', selectContact('Zoë'), exactly(say('Actions')), exactly(say('Delete'))],
  ['/contacts', selectContact('Zoë'), exactly(say('Actions')), exactly(say('Opt in'))],
  [`/contacts?group=${ids.group}`, say('Add members')],
  ['/contacts/fields', say('New field')],
  ['/contacts/fields', say('Change {name}', { name: 'Geburtstag' })],
  ['/contacts/fields', say('Delete {name}', { name: 'Geburtstag' })],
  ['/contacts/fields', say('Check the values of {name}', { name: 'Geburtstag' })],
  [`/contacts/${ids.contact}`, say('Link another number')],
  ['/groups', say('New group')],
  ['/groups', say('Rename {name}', { name: 'Stammkunden' })],
  ['/groups', say('Delete {name}', { name: 'Stammkunden' })],
  ['/labels', say('New label')],
  ['/labels', say('Change {name}', { name: 'Reklamation' })],
  ['/labels', say('Delete {name}', { name: 'Reklamation' })],
  ['/templates', say('New template')],
  ['/templates', say('Change {name}', { name: 'Paket' })],
  ['/templates', say('Delete {name}', { name: 'Paket' })],
  [`/personal-data/${encodeURIComponent(STRANGER)}`, exactly(say('Erase the data'))],
  ['/conversations', say('New conversation')],
  ['/conversations', openViews, say('New view')],
  ['/conversations', openViews, /^Dringend/, say('Change the view')],
  ['/conversations', openViews, /^Dringend/, say('Change the view'), say('Delete the view')],
  [CONVERSATION, ...makeNote(say), say('Delete the note')],
  [CONVERSATION, openAbout, exactly(say('Actions')), exactly(say('Block'))],
  ['/team', say('Invite somebody')],
  ['/team', say('Invite somebody'), say('Create the link'), sees('heading', say('The invitation'))],
  ['/team', exactly(say('Revoke'))],
  ['/devices', say('Add a device')],
  ['/devices', say('Add a device'), say('Show the code'), sees('timer')],
  [`/devices/${ids.device}`, say('Delete the device')],
  [`/devices/${ids.device}`, say('Change {name}', { name: say('Chosen by the phone') })],
  ['/answers', say('New automatic answer')],
  ['/answers', say('Change {name}', { name: 'Urlaub' })],
  ['/answers', say('Delete {name}', { name: 'Urlaub' })],
  ['/keys', say('New key')],
  ['/keys', ...makeKey(say)],
  ['/keys', say('Change {name}', { name: 'Webshop' })],
  ['/keys', say('A new secret for {name}', { name: 'Webshop' })],
  ['/keys', say('A new secret for {name}', { name: 'Webshop' }), say('Create a new secret')],
  ['/keys', say('Revoke {name}', { name: 'Webshop' })],
  ['/verify', say('New service')],
  ['/verify', say('Change {name}', { name: 'Kasse' })],
  ['/verify', say('Delete {name}', { name: 'Kasse' })],
  ['/verify', say('Change the limits')],
  ['/hooks', say('New incoming webhook')],
  [`/hooks/${ids.hook}`, say('Change the address')],
  [`/hooks/${ids.hook}`, exactly(say('Delete'))],
  ['/webhooks', say('New outgoing webhook')],
  ['/webhooks', ...makeWebhook(say)],
  [`/webhooks/${ids.webhook}`, say('Create a new secret')],
  [`/webhooks/${ids.webhook}`, ...makeSecret(say)],
  [`/webhooks/${ids.webhook}`, say('Details')],
  [`/webhooks/${ids.webhook}`, say('Send failed ones again')],
  [`/webhooks/${ids.webhook}`, exactly(say('Delete'))],
  [`/messages/${ids.scheduled}`, exactly(say('Change'))],
  [`/messages/${ids.scheduled}`, say('Delete')],
  [`/messages/${ids.unknown}`, say('Send again')],
  ['/messages', say('Export')],
  ['/messages?state=failed', say('Send again')],
  ['/messages?state=scheduled', say('Cancel all')],
  ['/messages?filter=segments%20%3E%200', say('Saved#filters'), say('Save this filter')],
  [`/campaigns/${ids.campaign}`, say('Change')],
  [`/campaigns/${ids.campaign}`, exactly(say('Actions')), say('Cancel the campaign')],
  [`/campaigns/${ids.canceledCampaign}`, exactly(say('Actions')), exactly(say('Delete'))],
  [`/campaigns/${ids.failedCampaign}`, say('Send failed ones again')],
  [TO_MANY, say('Send to {count} people', { count: 21 })],
  [TO_MANY, choose(say('Later')), say('Schedule for {count} people', { count: 21 })],
  [TO_MANY, repeatDaily, say('Start repeating')],
  [`/send?batch=${ids.batch}`, say('Change the time')],
  [`/send?batch=${ids.batch}`, say('Cancel the {count} not sent yet', { count: 2 })],
  ['/account', say('Sign out everywhere else')],
  ['/account', say('Stop for all')],
  ['/account', say('End session')],
  ['/contacts', pressKey('Control+k'), sees('heading', say('Go to'))],
  ['/contacts', pressKey('?'), sees('heading', say('The keys of this page'))],
]

const dialogsOfSuperuser = (say: Say, ids: Furnished): readonly Way[] => [
  ['/users', say('New user')],
  ['/users', say('Change {name}', { name: ANN.email })],
  ['/users', ...askOfUser(say, ANN.email, 'Disable…', 'Disable {email}?')],
  ['/users', ...askOfUser(say, BEA, 'Enable…', 'Enable {email}?')],
  ['/users', ...askOfUser(say, ANN.email, 'Delete…', 'Delete {email}?')],
  [
    '/users',
    ...askOfUser(
      say,
      ANN.email,
      'Remove the second factor…',
      'Remove the second factor of {email}?',
    ),
  ],
  ['/settings', say('Send a test mail')],
  ['/settings', say('Add a rule')],
  ['/settings', new RegExp(say('Change {rule}', { rule: '.+' }))],
  ['/settings', new RegExp(say('Delete {rule}', { rule: '.+' }))],
  ['/backups', say('Upload')],
  ['/backups', `${say('Restore')} ${ids.backup}`],
  ['/backups', say('Delete {name}', { name: ids.backup })],
  ['/logs', say('Details')],
  ['/logs', say('Delete all logs')],
  ['/collections/contacts', say('New record')],
  [`/collections/contacts?record=${ids.contact}`, say('Delete…')],
  [`/devices/${ids.device}`, say('Change {name}', { name: say('Chosen by the phone') })],
  ['/keys', say('Revoke {name}', { name: 'Webshop' })],
  [`/webhooks/${ids.webhook}`, say('Delete')],
  ['/settings', fill(say('Name of this service'), 'Eckladen'), leaveFor('/users')],
  // the last one: its change is not saved either
  ['/settings', fill(say('Addresses of superusers'), '10.0.0.1'), say('Save addresses')],
]

/** They last as long as a restore does, need a team, or a dead line. */
const OTHERS = [
  'Leave the team?',
  'Nothing was restored',
  'Remove {name} from the team?',
  'Restoring',
  'Sign out with unsent texts?',
  'Take it from {name}?',
  'Take them from {names}?',
  '{name} has answered meanwhile',
  '{name} is writing an answer',
]

/** All that a page says and shows as a tip: texts between tags, and attributes that are read. */
const SAID = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const said = []
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest('script, [lang="en"]')) said.push(walker.currentNode.data.trim())
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]'))
    for (const name of ['aria-label', 'title', 'placeholder']) said.push(element.getAttribute(name) ?? '')
  return [...new Set(said)].filter(Boolean)
})()`

/** By how many pixels the page or its dialog is wider than the place it has. */
const TOO_WIDE = `(() => {
  const places = [document.documentElement, ...document.querySelectorAll('dialog, .dialog-body')]
  return Math.max(...places.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
})()`

/** Whether a text is an English one of the catalogue, whole or a part between its placeholders. */
function englishTest(language: string): (said: string) => boolean {
  const texts = [...catalogueOf(language)]
  // French counts 0 and 1 alike, by a text with {count}
  const own = new Set(texts.flatMap(([, text]) => [text, text.replace('{count}', '1')]))
  const foreign = texts.filter(([english, text]) => english !== text).map(([english]) => english)
  const parts = new Set(
    foreign.flatMap((english) => english.split(/\{\w+\}/).map((part) => part.trim())),
  )
  const isLong = (part: string) => part.split(' ').length > 2
  const whole = new Set(foreign)
  return (said) => !own.has(said) && (whole.has(said) || (parts.has(said) && isLong(said)))
}

/** The titles of the dialogs that the tours have opened so far. */
const opened = new Set<string>()

async function inspect(
  { page, inspect: findFaults, faults, say }: BrowserFixture,
  name: string,
): Promise<void> {
  await expect.poll(() => page.getByText(say('Loading'), { exact: true }).count()).toBe(0)
  await findFaults(name)
  const tooWide = (await page.evaluate(TOO_WIDE)) as number
  if (tooWide > 0) faults.push(`${name}: ${tooWide} pixels are out of sight`)
  const language = (await page.evaluate('document.documentElement.lang')) as string
  const isEnglish = englishTest(language)
  const english = ((await page.evaluate(SAID)) as string[]).filter(isEnglish)
  faults.push(...english.map((text) => `${name}: in English: ${text}`))
}

async function tour(fixture: BrowserFixture, role: Role): Promise<void> {
  const { page, say, visit } = fixture
  const ids = await furnish(fixture)
  await page.goto(`${fixture.url}/`)
  await page.getByRole('heading', { name: say('Sign in') }).waitFor()
  await inspect(fixture, 'sign-in')
  await fixture.signIn(role === 'user' ? 'ann' : 'root')
  for (const path of pagePaths(role, ids)) {
    await visit(path)
    await inspect(fixture, path)
  }
  const dialogs = (role === 'user' ? dialogsOfUser : dialogsOfSuperuser)(say, ids)
  const ofPhone: readonly Way[] = [
    ['/messages', exactly(say('More'))],
    ...(role === 'user' ? [[CONVERSATION, openAbout] as const] : []),
  ]
  for (const [path, ...steps] of [...(fixture.screen === 'phone' ? ofPhone : []), ...dialogs]) {
    await visit(path)
    await take(fixture, steps)
    const title = await page.getByRole('dialog').last().getByRole('heading').first().innerText()
    opened.add(title)
    await inspect(fixture, `${path}: ${title}`)
    await closeDialogs(fixture)
    await visit('/help')
  }
}

/** Closes what is open, and leaves changes of the page if that is what is asked. */
async function closeDialogs({ page, say }: BrowserFixture): Promise<void> {
  const leave = page.getByRole('button', { name: say('Leave without saving') })
  if (await leave.isVisible()) await leave.click()
  const copied = page.getByRole('button', { name: say('I have copied it') })
  if (await copied.isVisible()) await copied.click()
  while ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape')
}

for (const locale of ['en-GB', 'de-DE', 'es-MX', 'fr-FR', 'pt-BR'])
  for (const role of ['user', 'superuser'] as const)
    scenario(
      `all pages and dialogs of a ${role} are accessible and in one language, ${locale}`,
      (fixture) => tour(fixture, role),
      {},
      { locale, ms: TOUR_MS },
    )

/** Fits a text of the console, whatever its values are. */
const patternOf = (text: string) =>
  new RegExp(`^${text.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '.+')}$`)

test('the tours open every dialog on a desktop or a phone', () => {
  const isOpened = (title: string) => [...opened].some((words) => patternOf(title).test(words))
  const others = dialogTitles().filter((title) => !isOpened(title))
  expect(others.sort()).toEqual(OTHERS)
})

scenario(
  'a German browser shows German dates and numbers',
  async (fixture) => {
    const { page } = fixture
    const { device } = await furnish(fixture)
    await fixture.signIn()
    expect(await page.evaluate('document.documentElement.lang')).toBe('de')
    await fixture.visit('/usage')
    await page.getByText(/^\d+ von 1\.500 Nachrichten in diesem Monat\.$/).waitFor()
    await fixture.visit(`/devices/${device}`)
    const time = page.locator('time').first()
    expect(await time.getAttribute('title')).toMatch(
      /^\p{L}+, \d+\. \p{L}+ \d{4} um \d\d:\d\d:\d\d/u,
    )
  },
  {},
  { locale: 'de-DE' },
)
