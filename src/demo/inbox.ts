import { call } from '../agent/server.ts'
import { readState } from '../agent/state.ts'
import { type Api, ensure, findFirst, type Named, request, signIn } from './api.ts'
import { type DemoData, USER_EMAIL } from './people.ts'
import type { Phone } from './phones.ts'

/** Who answers the same texts. The first one is said at the end of the demo. */
export const COLLEAGUES = [
  { name: 'Priya', email: 'priya@example.com', role: 'agent' },
  { name: 'Tom', email: 'tom@example.com', role: 'viewer' },
] as const

/** Minutes since the text, who texted, the text, and the answer. The first answers are the colleague's. */
const TEXTS = [
  [340, 'Grace Okafor', 'Hi, is my bike ready?', 'Yes, since this morning. We are open until 6 pm.'],
  [280, 'Henry Walsh', 'Do you repair e-bikes, too?', 'We do. Bring the charger with you, please.'],
  [200, 'Isla Novak', 'Can I come on Saturday at ten?', 'Saturday at ten it is. See you then!'],
  [95, 'Jonas Weber', 'Do you have the blue helmet in M?', ''],
  [50, 'Kofi Mensah', 'The brake squeals again. Shall I come by?', ''],
  [25, 'Lea Rossi', 'Thank you, the new chain runs well.', ''],
  [18, 'Nadia Petrova', 'Is there parking in front of your shop?', ''],
  [12, 'Oscar Brown', 'Running ten minutes late, sorry!', ''],
  [6, 'Maya Lind', 'What does a full service cost?', ''],
] as const
const ANSWERED_BY_COLLEAGUE = 2
const MINUTE_MS = 60_000

const numberOf = (at: number) => `+4477009002${10 + at}`

/** Makes the colleagues members of the user's account; each signs in with `password`. */
export async function makeTeam(superuser: Api, password: string): Promise<void> {
  const account = (await findFirst<Named>(superuser, 'users', `email = "${USER_EMAIL}"`))!.id
  for (const { role, ...person } of COLLEAGUES) {
    const sign = { password, passwordConfirm: password, verified: true, member_only: true }
    const member = await ensure(superuser, 'users', `email = "${person.email}"`, { ...person, ...sign })
    const filter = `account = "${account}" && member = "${member}"`
    await ensure(superuser, 'members', filter, { account, member, role })
  }
}

/** Lets people text the phone over the last hours, and answers some of them. Once: later runs find them. */
export async function fillInbox({ user, id: owner }: DemoData, password: string, phone: Phone) {
  if (await findFirst(user, 'contacts', `phone = "${numberOf(0)}"`)) return
  for (const [at, [, name]] of TEXTS.entries())
    await ensure(user, 'contacts', `phone = "${numberOf(at)}"`, { user: owner, name, phone: numberOf(at) })
  const items = TEXTS.map(([minutes, , body], at) => ({
    from: numberOf(at),
    body,
    received_at: new Date(Date.now() - minutes * MINUTE_MS).toISOString(),
  }))
  await call(readState(phone.stateFile), 'POST', '/api/devices/incoming', { items })
  const colleague = await actAs(user.url, password, owner)
  for (const [at, [, , , body]] of TEXTS.entries()) {
    const sender = at < ANSWERED_BY_COLLEAGUE ? colleague : user
    if (body) await request(sender, 'POST', '/api/sms/send', { recipients: [numberOf(at)], body })
  }
  await handOver(user, colleague, owner)
}

/** The first colleague's client for the account. */
async function actAs(url: string, password: string, account: string): Promise<Api> {
  const { api } = await signIn(url, 'users', COLLEAGUES[0].email, password)
  const acting = await request<{ token: string }>(api, 'POST', '/api/account/act-for', { account })
  return { url, credentials: { authorization: acting.token } }
}

/** Gives the colleague a conversation, with a note about it. */
async function handOver(user: Api, colleague: Api, owner: string): Promise<void> {
  const path = '/api/collections/conversations/records'
  const found = await findFirst<Named>(user, 'conversations', `number = "${numberOf(4)}"`)
  const sender = await findFirst<Named>(user, 'senders', `kind = "member" && name = "${COLLEAGUES[0].name}"`)
  await request(user, 'PATCH', `${path}/${found!.id}`, { assignee: sender!.id })
  await request(colleague, 'POST', '/api/collections/conversation_notes/records', {
    ...{ user: owner, conversation: found!.id, text: 'Third time this month: let us take it in for free.' },
  })
}
