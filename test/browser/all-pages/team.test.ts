import PocketBase from 'pocketbase'
import type { Browser } from '../support/browser.ts'
import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { closePanel, hasViewMenu, openPanel } from '../support/inbox-layout.ts'
import { type Phone, pairPhone } from '../support/phone.ts'
import { readQr } from '../support/qr.ts'
import { chooseAccount } from '../support/team.ts'

const ZOE = '+4915112345678'
const BEN = { name: 'Ben', email: 'ben@example.com', password: 'ben-password1' } as const
const CLEO = { name: 'Cleo', email: 'cleo@example.com', password: 'cleo-password1' } as const
const THREAD = `/#/conversations/${encodeURIComponent(ZOE)}`

/** The client with which a window acts for the account. */
async function clientOf({ page }: Browser, url: string): Promise<PocketBase> {
  const { token, record } = (await page.evaluate(
    `JSON.parse(localStorage.getItem('pocketbase_auth'))`,
  )) as {
    token: string
    record: { id: string; collectionId: string; collectionName: string }
  }
  const pb = new PocketBase(url)
  pb.authStore.save(token, record)
  return pb
}

/** Invites somebody by the page Team; the link that it shows. */
async function invite({ page, visit }: BrowserFixture, role: string): Promise<string> {
  await visit('/team')
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByRole('dialog').getByLabel('Role').selectOption(role)
  await page.getByRole('button', { name: 'Create the link' }).click()
  await page.getByText('It works once, for 7 days.').waitFor()
  const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  expect(await readQr(page, 'The invitation as a picture')).toBe(link)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  return link
}

/** Whether a person has a page of this title: in the navigation, as a tab, or to set up. */
async function seesPage({ page }: Browser, name: string): Promise<boolean> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(name)
  const pages = page.getByRole('listbox')
  const found = await pages.getByRole('option', { name, exact: true }).count()
  await page.keyboard.press('Escape')
  return found > 0
}

/** Joins as a new person. */
async function joinAsBen({ page, look, refused }: Browser, link: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('heading', { name: 'Join the team' }).waitFor()
  await page.getByText('Ann invites you to answer the texts of Ann, as: Agent.').waitFor()
  await look('join')
  await page.getByLabel('Your name').fill(BEN.name)
  await page.getByLabel('Email').fill(BEN.email)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Repeat the password').fill('short')
  const join = page.getByRole('button', { name: 'Join', exact: true })
  await refused(/^POST \/api\/account\/invitations\/accept: 400/, async () => {
    await join.click()
    await page.getByRole('alert').first().waitFor()
  })
  await page.getByLabel('Password', { exact: true }).fill(BEN.password)
  await page.getByLabel('Repeat the password').fill(BEN.password)
  await join.click()
  await page.getByLabel('Account', { exact: true }).first().waitFor({ state: 'attached' })
}

/** Who has no account of their own is in the team's after a sign-in, and has their own sign-in beside. */
async function landsInTeam({ page }: Browser, url: string): Promise<void> {
  // away from the console first: its open requests would be refused without a session
  await page.goto(`${url}/icon-192.png`)
  await page.evaluate('localStorage.clear()')
  await page.goto(url)
  await page.getByLabel('Email').fill(BEN.email)
  await page.getByLabel('Password').fill(BEN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const account = page.getByLabel('Account', { exact: true }).first()
  const chosen = () =>
    account.evaluate(
      (select) =>
        (select as unknown as { selectedOptions: { text: string }[] }).selectedOptions[0]?.text,
    )
  await expect.poll(chosen).toBe('Ann (Agent)')
  await page.getByText('Are you open?').first().waitFor()
  await chooseAccount({ page }, 'Ben (your sign-in)')
  await page.getByText('You have no account of your own').waitFor()
  await chooseAccount({ page }, 'Ann (Agent)')
  await expect.poll(chosen).toBe('Ann (Agent)')
  await page.getByText('Are you open?').first().waitFor()
}

/** Joins as a user that there is. */
async function joinAsCleo({ page }: Browser, link: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('button', { name: 'I have an account here' }).click()
  await page.getByLabel('Email').fill(CLEO.email)
  await page.getByLabel('Password').fill(CLEO.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: `Join as ${CLEO.email}` }).click()
  await page.getByLabel('Account', { exact: true }).first().waitFor({ state: 'attached' })
}

async function expectUsed({ page, refused }: Browser, link: string): Promise<void> {
  await refused(/^POST \/api\/account\/invitations\/show: 400/, async () => {
    await page.goto(link)
    await page.getByText('This invitation has expired, was used, or was revoked.').waitFor()
  })
  await page.goto(`${new URL(link).origin}/#/messages`)
}

/** What the role forbids is not on the pages. */
async function expectForbidden(window: Browser, { url }: BrowserFixture, role: string) {
  const { page } = window
  const isAgent = role === 'agent'
  for (const [name, isSeen] of [
    ['API keys', false],
    ['Outgoing webhooks', false],
    ['Send', isAgent],
    ['Contacts', true],
  ] as const)
    expect([name, await seesPage(window, name)]).toEqual([name, isSeen])
  await page.goto(`${url}/#/team`)
  await page.getByRole('table', { name: 'Members' }).waitFor()
  expect(await page.getByRole('button', { name: 'Invite somebody' }).count()).toBe(0)
  expect(await page.getByRole('heading', { name: 'Open invitations' }).count()).toBe(0)
  await page.goto(`${url}/#/devices`)
  await page.getByText('Desk phone').first().waitFor()
  expect(await page.getByRole('button', { name: 'Add a device' }).count()).toBe(0)
  await page.goto(`${url}/#/contacts`)
  await page.getByText('Zoë').first().waitFor()
  expect(await page.getByRole('button', { name: 'Add a contact' }).count()).toBe(isAgent ? 1 : 0)
  if (isAgent) return
  await page.goto(`${url}${THREAD}`)
  await page.getByText('Are you open?').last().waitFor()
  expect(await page.getByLabel(/^(Answer from|Write$)/).count()).toBe(0)
  await page.getByText('You are a viewer here').waitFor()
  for (const path of ['/send', '/contacts/fields']) {
    await page.goto(`${url}/#${path}`)
    await page.getByRole('heading', { name: 'Your role does not see this page' }).waitFor()
  }
}

/** An agent's send to a group is counted as people, and asks. */
async function asksBeforeGroup({ page }: Browser, url: string, group: string): Promise<void> {
  await page.goto(`${url}/#/send?group=${group}&text=Hello`)
  await page.getByText('Agents send to at most 20 people at once').waitFor()
  await page.getByRole('button', { name: 'Send to 2 people' }).click()
  const asked = page.getByRole('dialog', { name: 'Send to 2 people?' })
  await asked.getByRole('button', { name: 'Not yet' }).click()
}

/** A mention is counted until its conversation, which Ann has had open, or the view Mentions is opened. */
async function seesMention(fixture: BrowserFixture, ben: Browser): Promise<void> {
  const { page, url } = fixture
  await page.goto(`${url}/#/conversations`)
  const views = page.getByRole('button', { name: /^All 1/ })
  await views.waitFor()
  expect(await page.getByText('1 mention').count()).toBe(0)
  const notes = (await clientOf(ben, url)).collection('conversation_notes')
  const { user, conversation, mentions } = await notes.getFirstListItem('')
  await notes.create({ user, conversation, mentions, text: '@Ann and on Monday?' })
  if (hasViewMenu(fixture)) await page.getByRole('button', { name: 'All 1 · 1 mention' }).click()
  else await views.waitFor()
  await page.getByRole('button', { name: /^Mentions.*1 mention$/ }).click()
  await page.getByRole('link', { name: /Zoë.*on Monday/ }).waitFor()
  await page.getByText('1 mention').first().waitFor({ state: 'detached' })
}

/** Ann and Ben at one conversation: assigned, noted, typed at once, answered once. */
async function answerTogether(ann: BrowserFixture, ben: Browser, phone: Phone): Promise<void> {
  const { url } = ann
  const answer = 'Answer from Desk phone'
  for (const { page } of [ann, ben]) {
    await page.goto(`${url}${THREAD}`)
    await page.getByLabel(answer).waitFor()
  }
  await ben.page.getByRole('button', { name: 'Assign to me' }).click()
  await ann.page.getByText('with Ben').waitFor()
  const asked = ann.page.getByRole('dialog', { name: 'Take it from Ben?' })
  await ann.page.getByRole('button', { name: 'Assign to me' }).click()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await openPanel(ann)
  const assignee = ann.page.getByLabel('Assigned to')
  await assignee.selectOption({ label: 'Ann' })
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => assignee.locator('option:checked').textContent()).toBe('Ben')
  await closePanel(ann)

  await ben.page.getByRole('button', { name: 'Note', exact: true }).click()
  const note = ben.page.getByLabel('Note for the team: it is not sent')
  await note.fill('@An')
  await note.press('Enter')
  await note.pressSequentially('do we open on Sunday?')
  await ben.page.getByRole('button', { name: 'Save the note' }).click()
  await ann.page.getByText('@Ann do we open on Sunday?').first().waitFor()
  const shop = await clientOf(ben, url)
  const [written] = await shop
    .collection('conversation_notes')
    .getFullList({ expand: 'author,mentions' })
  expect(written?.expand).toMatchObject({ author: { name: 'Ben' }, mentions: [{ name: 'Ann' }] })

  await ben.page.getByLabel(answer).pressSequentially('Yes, until six')
  await ann.page.getByText('Ben is writing').last().waitFor()
  await ann.look('team-conversation')
  await ann.page.getByLabel(answer).fill('Yes')
  await ben.page.locator('.conversations-presence').getByText('Ann is writing').waitFor()
  await ben.page.getByRole('button', { name: 'Send', exact: true }).click()
  await ben.page.getByRole('button', { name: 'Send anyway' }).click()
  const [task] = await phone.claim()
  await phone.report(task!, 'sent')
  const bubble = ann.page.getByRole('article').filter({ hasText: 'Yes, until six' })
  await bubble.getByText('Ben', { exact: true }).waitFor()
  await ann.page.getByRole('button', { name: 'Send', exact: true }).click()
  await ann.page.getByRole('heading', { name: 'Ben has answered meanwhile' }).waitFor()
  await ann.page.getByRole('button', { name: 'Not yet' }).click()
  const sent = await shop.collection('sms_messages').getFullList({
    filter: 'message_type = "outgoing"',
    expand: 'sent_by',
  })
  expect(sent.map(({ body, expand }) => [body, expand?.sent_by.name])).toEqual([
    ['Yes, until six', 'Ben'],
  ])
  await ann.page.getByRole('button', { name: 'Send', exact: true }).click()
  await ann.page.getByRole('button', { name: 'Send anyway' }).click()
  expect(await phone.claim()).toMatchObject([{ body: 'Yes' }])
}

scenario(
  'three team members answer texts to one number',
  async (ann) => {
    const { page, url } = ann
    const owner = await ann.ann()
    const user = owner.authStore.record!.id
    const root = await ann.root()
    await root
      .collection('users')
      .create({ ...CLEO, passwordConfirm: CLEO.password, verified: true })
    const phone = await pairPhone(url, owner, 'Desk phone')
    const group = await owner.collection('contact_groups').create({ user, name: 'Regulars' })
    for (const [name, number] of Object.entries({ Zoë: ZOE, Max: '+4915187654321' }))
      await owner.collection('contacts').create({ user, name, phone: number, groups: [group.id] })
    await phone.hear(ZOE, 'Are you open?')
    await ann.signIn()
    const ben = await ann.another()
    const cleo = await ann.another()

    const link = await invite(ann, 'agent')
    await joinAsBen(ben, link)
    await landsInTeam(ben, url)
    await joinAsCleo(cleo, await invite(ann, 'viewer'))
    await expectUsed(cleo, link)
    await expectForbidden(ben, ann, 'agent')
    await expectForbidden(cleo, ann, 'viewer')
    await asksBeforeGroup(ben, url, group.id)
    await answerTogether(ann, ben, phone)
    await seesMention(ann, ben)
    await ann.visit('/messages')
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Sent by').selectOption({ label: 'Ben' })
    await page.getByText('1 message', { exact: true }).waitFor()

    const [first, second] = await root.collection('members').getFullList({ sort: '@rowid' })
    const changed = {
      user,
      sender: first!.id,
      action: 'update',
      collection: 'members',
      record: second!.id,
    }
    await root.collection('account_audit').create(changed)
    await ann.visit('/team')
    const change = page.getByRole('table', { name: 'What was changed' }).getByRole('row').nth(1)
    await change.getByText('Ben').waitFor()
    await change.getByText('Cleo').waitFor()
    const members = page.getByRole('table', { name: 'Members' })
    await members.getByRole('cell', { name: 'Ben' }).first().waitFor()
    await members.getByRole('button', { name: 'Addresses of Ben' }).click()
    await page.getByLabel('May use the account only from').fill('127.0.0.0/8, ::1')
    await ann.look('team-addresses')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await members.getByText('Only at 127.0.0.0/8, ::1').waitFor()
    await members.getByRole('button', { name: 'Remove Ben' }).click()
    // Ben's requests are refused from this moment; without a team he cannot sign in
    await ben.refused(/: 40[134]$/, async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await ben.page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await ben.look('team-ended')
    })
    await page.getByText('Ben was removed').waitFor()

    // the others stay
    await phone.hear(ZOE, 'Thanks!')
    await cleo.page.goto(`${url}${THREAD}`)
    await cleo.page.getByText('Thanks!').last().waitFor()
    await members.getByRole('cell', { name: 'Cleo' }).first().waitFor()
    await page.getByRole('link', { name: 'unread' }).filter({ visible: true }).first().waitFor()
  },
  {},
  { ms: 300_000, widths: [1440, 768, 390] },
)
