import { z } from 'zod'
import type { Store } from '../../../collections/catalog.ts'
import { twilioDate } from '../date.ts'
import { API_VERSION, accountPath } from '../messages/message.ts'
import { notFound } from '../refusal.ts'
import { idOf, sidOf } from '../sid.ts'

/** The fields of Twilio's numbers that are the same for every device. */
const FIXED = {
  api_version: API_VERSION,
  origin: 'hosted',
  status: 'in-use',
  type: 'mobile',
  beta: false,
  address_requirements: 'none',
  emergency_status: 'Inactive',
  emergency_address_status: 'unregistered',
  voice_receive_mode: 'voice',
  voice_caller_id_lookup: false,
  capabilities: { fax: false, mms: false, sms: true, voice: false },
  sms_fallback_url: '',
  sms_fallback_method: 'POST',
  sms_application_sid: '',
  status_callback: '',
  status_callback_method: 'POST',
  voice_url: '',
  voice_method: 'POST',
  voice_fallback_url: '',
  voice_fallback_method: 'POST',
  voice_application_sid: '',
  trunk_sid: null,
  address_sid: null,
  identity_sid: null,
  bundle_sid: null,
  emergency_address_sid: null,
} as const

const literals = Object.fromEntries(
  Object.entries(FIXED).map(([name, value]) => [
    name,
    name === 'capabilities'
      ? z.strictObject({ fax: z.boolean(), mms: z.boolean(), sms: z.boolean(), voice: z.boolean() })
      : z.literal(value as string | boolean | null),
  ]),
) as unknown as { readonly [K in keyof typeof FIXED]: z.ZodType<(typeof FIXED)[K]> }

/** A device with a number as Twilio's API has it. */
export const NUMBER = z
  .strictObject({
    sid: z.string(),
    account_sid: z.string(),
    phone_number: z.string(),
    friendly_name: z.string().describe('The name of the device.'),
    sms_url: z.string().describe('Where texts that the device receives are told; empty for nowhere.'),
    sms_method: z.enum(['GET', 'POST']),
    date_created: z.string().nullable(),
    date_updated: z.string().nullable(),
    uri: z.string(),
    ...literals,
  })
  .meta({ id: 'TwilioNumber' })
export type TwilioNumber = Readonly<z.output<typeof NUMBER>>

/** A row of `NUMBER_SQL`. */
export interface NumberRow {
  readonly id: string
  readonly phone: string
  readonly name: string
  readonly created: string
  readonly updated: string
  readonly smsUrl: string
  readonly smsMethod: 'GET' | 'POST'
}

/** SQL that reads the devices `d` of a user, $1, that have a number. */
export const NUMBER_SQL = `
select d.id, d.phone, d.name, d.created, d.updated, coalesce((
    select w.url from webhooks w
    where w."user" = $1 and w.format = 'twilio' and w.device = d.id and w.enabled order by w._rowid limit 1
  ), ''), coalesce(n.sms_method, 'POST')
from devices d left join twilio_numbers n on n.device = d.id
where d."user" || '' = $1 and d.phone <> ''`

/** A row as it was read, by name. */
export const numberRow = ([id, phone, name, created, updated, smsUrl, smsMethod]: readonly unknown[]) =>
  ({ id, phone, name, created, updated, smsUrl, smsMethod }) as NumberRow

/** The number of a user with this SID. Throws 404. */
export async function findNumber({ db }: Pick<Store, 'db'>, user: string, sid: string): Promise<NumberRow> {
  const id = idOf('PN', sid)
  const { rows } = id
    ? await db.query(`${NUMBER_SQL} and d.id = $2`, [user, id], 'twilio number')
    : { rows: [] }
  if (!rows[0]) throw notFound()
  return numberRow(rows[0])
}

/** A device with a number as Twilio's API has it. */
export function renderNumber(row: NumberRow, user: string): TwilioNumber {
  const [sid, account_sid] = [sidOf('PN', row.id), sidOf('AC', user)]
  return {
    sid,
    account_sid,
    phone_number: row.phone,
    friendly_name: row.name,
    sms_url: row.smsUrl,
    sms_method: row.smsMethod,
    date_created: twilioDate(row.created),
    date_updated: twilioDate(row.updated),
    uri: `${accountPath(account_sid)}/IncomingPhoneNumbers/${sid}.json`,
    ...FIXED,
  }
}
