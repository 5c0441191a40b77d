import { stopPerson } from '../../../src/gateway/people/erase-person.ts'
import { FORGET_CONSENTS } from '../../support/database/forget-consents.ts'
import { request } from '../../support/server/request.ts'
import {
  type Client,
  must,
  type ServerWithDevices,
} from '../../support/server/server-with-devices.ts'

let numbers = 30_000_000

/** An account with two phones, and a person to whom it sends by a template to a group. */
export interface Cell {
  readonly server: ServerWithDevices
  readonly ann: Client
  /** Who sends: Ann, or an API key of hers. */
  readonly sender: Client
  readonly phone: Client
  readonly other: Client
  readonly number: string
  readonly group: string
  readonly template: string
  /** What the person's text is sent with. */
  readonly terms: {
    readonly template_id: string
    readonly group_ids: string[]
    readonly requires_consent: boolean
  }
}

interface Reason {
  /** The `error_message` of the text. */
  readonly error: string
  /** What requires consent from the beginning. The person has agreed. */
  readonly requires?: 'send' | 'template' | 'group'
  readonly isOfKey?: true
  apply(cell: Cell): Promise<unknown>
}

const OUT = 'Recipient has opted out'
const NO_PROOF = 'No proof of consent'
const record = (by: Client, collection: string, values: object) =>
  must(by, 'POST', `/api/collections/${collection}/records`, { user: by.id, ...values })
async function requireConsent(cell: Cell, collection: string, id: string) {
  await loseProof(cell)
  await must(cell.ann, 'PATCH', `/api/collections/${collection}/records/${id}`, {
    requires_consent: true,
  })
}
const loseProof = ({ server, number }: Cell) =>
  server.query(`${FORGET_CONSENTS} and number = $1`, [number])

export const REASONS: Readonly<Record<string, Reason>> = {
  'a STOP': {
    error: OUT,
    apply: ({ server, phone, number }) => server.hear(phone, [[number, 'STOP']]),
  },
  'an erasure': {
    error: 'Recipient is on the stop list',
    apply: ({ server, ann, number }) =>
      stopPerson(server.server.services.store.db, { user: ann.id, number }),
  },
  'leaving its group': {
    error: OUT,
    apply: ({ ann, number, group }) => record(ann, 'consents', { number, group, event: 'opt_out' }),
  },
  'the loss of the consent that the send requires': {
    error: NO_PROOF,
    requires: 'send',
    apply: loseProof,
  },
  'the loss of the consent that its template requires': {
    error: NO_PROOF,
    requires: 'template',
    apply: loseProof,
  },
  'the loss of the consent that its group requires': {
    error: NO_PROOF,
    requires: 'group',
    apply: loseProof,
  },
  'its template begins to require consent': {
    error: NO_PROOF,
    apply: (cell) => requireConsent(cell, 'sms_templates', cell.template),
  },
  'its group begins to require consent': {
    error: NO_PROOF,
    apply: (cell) => requireConsent(cell, 'contact_groups', cell.group),
  },
  'a limit of the destinations of the account': {
    error: 'Destination not allowed',
    apply: ({ server, ann }) =>
      server.query(`update user_settings set destinations = '+44' where "user" = $1`, [ann.id]),
  },
  'a limit of the destinations of the API key': {
    error: 'Destination not allowed',
    isOfKey: true,
    apply: ({ server, ann }) =>
      server.query(`update api_keys set destinations = '+44' where "user" = $1`, [ann.id]),
  },
}

export async function makeCell(
  server: ServerWithDevices,
  { requires, isOfKey }: Reason,
): Promise<Cell> {
  const ann = await server.makeUser()
  const [phone, other] = [await server.pair(ann), await server.pair(ann)]
  const number = `+4915${numbers++}`
  const group = (
    await record(ann, 'contact_groups', { name: 'News', requires_consent: requires === 'group' })
  ).id
  const values = { name: 'Sale', body: 'Sale', requires_consent: requires === 'template' }
  const template = (await record(ann, 'sms_templates', values)).id
  await record(ann, 'contacts', { phone: number, groups: [group] })
  await record(ann, 'consents', { number, event: 'opt_in', shown: 'Yes, please' })
  await server.query(
    `insert into user_settings (id, "user", created, updated) values (pb_new_id(), $1, pb_text(now()), pb_text(now()))
    on conflict ("user") do nothing`,
    [ann.id],
  )
  const terms = { template_id: template, group_ids: [group], requires_consent: requires === 'send' }
  const sender = isOfKey ? await makeKey(server, ann) : ann
  return { server, ann, sender, phone, other, number, group, template, terms }
}

async function makeKey(server: ServerWithDevices, ann: Client): Promise<Client> {
  const { id, key } = await record(ann, 'api_keys', { name: 'App', scopes: ['all:any'] })
  const call = (method: string, path: string, body?: unknown) =>
    request(server.url, method, path, body, { 'x-api-key': key })
  return { id, token: key, call }
}
