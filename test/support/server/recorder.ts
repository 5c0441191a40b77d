import { type Answer, basic, request } from './request.ts'
import {
  type Client,
  must,
  type ServerWithDevices,
  startServerWithDevices,
} from './server-with-devices.ts'

// Records what an API answers to a list of requests, so that a test finds each byte that has changed.

/** A request of a script. `{name}` in its path, its body and its headers is a value that was kept. */
export interface Step {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Who asks; absent: the account's usual key. */
  readonly as?: 'nobody' | 'wrong' | 'narrow' | 'bounded' | 'poor' | 'idle' | 'issued' | 'bearer'
  /** The name under which the id of what was made is kept. */
  readonly keep?: string
  /** What happens to texts before the request. */
  readonly before?: (place: Place) => Promise<unknown>
}

/** An account with phones and keys, and accounts beside it. */
export interface Place {
  readonly server: ServerWithDevices
  readonly user: Client & { readonly email: string }
  readonly phone: Client
  readonly other: Client
  /** Kept values by their names. */
  readonly values: Record<string, string>
}

/** Shown of each answer beside its status and its body. */
const HEADERS = [
  'content-type',
  'location',
  'x-total-count',
  'idempotent-replayed',
  'access-control-expose-headers',
  'www-authenticate',
  'cache-control',
  'deprecation',
]

/** The number of the account's phone. */
export const OWN_NUMBER = '+4915999999999'
/** Of a person who has opted out. */
export const STOPPED = '+4915177777777'

/** Starts a server with all accounts that scripts name. */
export async function startPlace(): Promise<Place> {
  const server = await startServerWithDevices()
  const user = (await server.makeUser()) as Place['user']
  const phone = await server.pair(user, { phone: OWN_NUMBER })
  const other = await server.pair(user, { phone: '+4915999999990' })
  const values: Record<string, string> = { phone: phone.id, other: other.id, own: OWN_NUMBER }
  const record = (by: Client, collection: string, body: object) =>
    must(by, 'POST', `/api/collections/${collection}/records`, { user: by.id, ...body })
  await must(user, 'PATCH', `/api/collections/devices/records/${other.id}`, { enabled: false })
  await server.hear(phone, [
    [STOPPED, 'Hello'],
    [STOPPED, 'STOP'],
  ])
  const settings = { country: 'DE' }
  await must(server.superuser, 'POST', '/api/collections/user_settings/records', {
    user: user.id,
    ...settings,
  })
  const addKey = async (name: string, by: Place['user'], more: object) => {
    const { key } = await record(by, 'api_keys', { name, ...more })
    const twilio = await record(by, 'api_keys', {
      name: `${name} of Twilio`,
      twilio: true,
      ...more,
      scopes: [],
    })
    Object.assign(values, {
      [`key ${name}`]: key,
      [`email ${name}`]: by.email,
      [`sid ${name}`]: twilio.account_sid,
      [`token ${name}`]: twilio.auth_token,
    })
  }
  await addKey('usual', user, { scopes: ['all:any'] })
  await addKey('narrow', user, { scopes: ['messages:read'] })
  await addKey('bounded', user, { scopes: ['all:any'], destinations: '+49' })
  const poor = (await server.makeUser()) as Place['user']
  await server.pair(poor)
  await must(server.superuser, 'PATCH', `/api/collections/users/records/${poor.id}`, {
    monthly_quota: 1,
  })
  await addKey('poor', poor, { scopes: ['all:any'] })
  const idle = (await server.makeUser()) as Place['user']
  await addKey('idle', idle, { scopes: ['all:any'] })
  const contact = await record(user, 'contacts', { name: 'Ann', phone: '+4915122222222' })
  const group = await record(user, 'contact_groups', { name: 'Friends' })
  await must(user, 'PATCH', `/api/collections/contacts/records/${contact.id}`, {
    groups: [group.id],
  })
  const template = await record(user, 'sms_templates', { name: 'Hi', body: 'Hi {{name}}' })
  Object.assign(values, { contact: contact.id, group: group.id, template: template.id })
  values.user = user.id
  return { server, user, phone, other, values }
}

/** The account's phone claims all that waits, and reports it. */
export const reportAs =
  (...statuses: readonly string[]) =>
  async ({ phone }: Place) => {
    const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 50 })
    for (const status of statuses)
      await must(phone, 'POST', '/api/devices/report', {
        items: items.map(({ id, attempt }: { id: string; attempt: number }) => ({
          id,
          attempt,
          status,
          ...(status === 'failed' && { error_message: 'No signal' }),
        })),
      })
  }

/** The headers by which somebody signs in to an API. */
export type SignIn = (values: Place['values'], as: Step['as']) => Readonly<Record<string, string>>

export const nameOf = (as: Step['as']) =>
  as === undefined || as === 'issued' || as === 'bearer' ? 'usual' : as

/** Basic, with the email and the key; `wrong` has a wrong key. */
export const signInByKey: SignIn = (values, as) => {
  if (as === 'nobody') return {}
  if (as === 'issued') return { authorization: `Bearer ${values.issued}` }
  if (as === 'bearer') return { authorization: `Bearer ${values['key usual']}` }
  if (as === 'wrong') return basic(values['email usual']!, `${values['key usual']}x`)
  return basic(values[`email ${nameOf(as)}`]!, values[`key ${nameOf(as)}`]!)
}

/** Runs a script. Returns the answers as one text, in which ids, dates and secrets are replaced. */
export async function recordAnswers(
  place: Place,
  root: string,
  signIn: SignIn,
  steps: readonly Step[],
): Promise<string> {
  const { values, server } = place
  const fill = (text: string) =>
    text.replaceAll(/\{([a-z]\w*(?: \w+)?)\}/g, (all, name) => values[name] ?? all)
  const parts: string[] = []
  for (const { title, method, path, body, form, headers, as, keep, before } of steps) {
    await before?.(place)
    const given = form
      ? new URLSearchParams(
          fill(new URLSearchParams(form).toString().replaceAll('%7B', '{').replaceAll('%7D', '}')),
        )
      : body && (typeof body === 'string' ? body : JSON.parse(fill(JSON.stringify(body))))
    const all = { ...signIn(values, as), ...headers }
    const answer = await request(server.url, method, fill(root + path), given, all)
    if (keep) values[keep] = findId(answer)
    if (answer.body?.access_token) values.issued = answer.body.access_token
    const lines = HEADERS.flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [`${name}: ${value}`]
    })
    parts.push(
      [`# ${title}`, `${method} ${root}${path}`, answer.status, ...lines, answer.text].join('\n'),
    )
  }
  return hideRandom(place, `${parts.join('\n\n')}\n`)
}

function findId({ body, text }: Answer): string {
  const id = body?.id ?? body?.sid ?? (body?.batch_id || body?.message_ids?.[0])
  if (typeof id !== 'string') throw new Error(`Nothing to keep: ${text}`)
  return id
}

/** Where the ids of all that answers show are found. */
const IDS = `select id from users union select id from devices union select id from lines
  union select id from api_keys union select id from sms_messages union select batch_id from sms_messages
  union select id from contacts union select id from contact_groups union select id from sms_templates
  union select id from sms_events union select id from webhooks`

const readHex = (hex: string) => Buffer.from(hex, 'hex').toString('latin1')
const readSid = (text: string) => {
  const [, hex] = /^[A-Z]{2}([0-9a-f]{30})00$/.exec(text) ?? []
  return hex && readHex(hex)
}

/** Replaces what differs in each run: ids and secrets by numbers in order of appearance, dates by words. */
async function hideRandom({ server, values }: Place, text: string): Promise<string> {
  const stored = (await server.query(IDS)).map(([id]) => String(id))
  // a script may have deleted what it kept
  const kept = Object.values(values).map((value) => readSid(value) ?? value)
  const ids = new Set([...stored, ...kept])
  const seen = new Map<string, string>()
  const name = (all: string, kind: string, id: string) => {
    if (!ids.has(id)) return all
    if (!seen.has(id)) seen.set(id, `<id ${seen.size + 1}>`)
    return kind + seen.get(id)
  }
  let shown = text
  for (const [key, value] of Object.entries(values))
    if (/^(?:key|token|email) /.test(key)) shown = shown.replaceAll(value, `<${key}>`)
  return shown
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>')
    .replaceAll(/"id":"\w{21}"/g, '"id":"<id of a token>"')
    .replaceAll(/\b(P?[AB]?[A-Z]{2})([0-9a-f]{30})00\b/g, (all, kind, hex) =>
      name(all, kind, readHex(hex)),
    )
    .replaceAll(/(?<!\w)()([a-z0-9]{15})(?!\w)/g, name)
    .replaceAll(/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d/g, '<date>')
    .replaceAll(
      /\b\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.(\d+))?/g,
      (_, t, part = '') => `<date>${t}<time>${part.replaceAll(/\d/g, '0')}`,
    )
    .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, '<day>')
}
